/** Arithmetic on days written YYYY-MM-DD, as the calendar has them, whatever the zone. */

export function dayBefore(day: string, count = 1): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - count * 86_400_000).toISOString().slice(0, 10);
}

/** Both included; none when they are the wrong way round. */
export function daysBetween(from: string, to: string): string[] {
  const days: string[] = [];
  for (let day = to; day >= from; day = dayBefore(day)) days.push(day);
  return days.reverse();
}

/** Whether there is such a day: 30 February is none. */
export function isDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === text;
}

/** When a day begins in Moscow, whose clocks have not been changed since 2014. */
export function moscowMidnight(day: string): Date {
  return new Date(`${day}T00:00:00+03:00`);
}
