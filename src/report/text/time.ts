const ISO = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})\.\d{3}Z$/;

/** `14:03:10`, the UTC time of day of a report's time; a time that is no date stays as it stands. */
export function clock(time: string): string {
  return ISO.exec(time)?.[2] ?? time;
}

/** `2026-03-02 14:03:10`. */
function dateAndClock(time: string): string {
  const [, date, timeOfDay] = ISO.exec(time) ?? [];
  return date === undefined || timeOfDay === undefined ? time : `${date} ${timeOfDay}`;
}

/** `14:03:10 to 14:05:40`, or `14:03:10` within one second; with the date where the days differ or `withDate` asks for it. */
export function stretch(from: string, to: string, withDate: boolean): string {
  const sameDay = from.slice(0, 10) === to.slice(0, 10);
  const start = withDate || !sameDay ? dateAndClock(from) : clock(from);
  if (dateAndClock(from) === dateAndClock(to)) return start;
  return `${start} to ${sameDay ? clock(to) : dateAndClock(to)}`;
}
