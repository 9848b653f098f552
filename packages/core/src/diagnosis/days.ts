const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const MONTH = String.raw`(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?`;
const DAY = String.raw`(\d{1,2})(?:st|nd|rd|th)?`;
const DAYS = new RegExp(String.raw`\b(?:${DAY}\s+(?:of\s+)?${MONTH}|${MONTH}\s+${DAY})(?!\w)`, 'gi');
const ISO_DAY = /^\d{4}-(\d\d-\d\d)(?:$|[T ])/;

/** Days of the year in words. @example daysIn('from 17 May to June 2nd') // ['05-17', '06-02'] */
export function daysIn(text: string): readonly string[] {
  return [...text.matchAll(DAYS)].map(([, before, month, named, after]) => {
    const number = monthOf((month ?? named ?? '').slice(0, 3));
    return `${String(number).padStart(2, '0')}-${(before ?? after ?? '').padStart(2, '0')}`;
  });
}

/** Of a date as programs write it. */
export const dayOf = (value: string): string | undefined => ISO_DAY.exec(value)?.[1];

const DAY_MS = 86_400_000;
const MOST = 32;

const YEAR_FIRST = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?:$|[T ])/;
const DAY_FIRST = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/;
const DAY_OF_MONTH = /^(\d{1,2})(?:st|nd|rd|th)?[ -]([A-Za-z]{3})[a-z]*\.?[ -](\d{4})$/;
const MONTH_FIRST = /^([A-Za-z]{3})[a-z]*\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})$/;

/**
 * The number of days from 1970 to a date, however it is spelled; `undefined` where day and month can't be told apart.
 * @example dayNumber('2 Jan 1970') // 1
 */
export function dayNumber(text: string): number | undefined {
  if (text.length > MOST) return undefined;
  let match = YEAR_FIRST.exec(text);
  if (match) return numberOf(match[1], match[3], match[4]);
  match = DAY_FIRST.exec(text);
  if (match) return numberOf(match[3], match[2], match[1]);
  match = DAY_OF_MONTH.exec(text);
  if (match) return numberOf(match[3], monthOf(match[2]), match[1]);
  match = MONTH_FIRST.exec(text);
  return match ? numberOf(match[3], monthOf(match[1]), match[2]) : undefined;
}

const monthOf = (name = ''): number => MONTHS.indexOf(name.toLowerCase()) + 1;

function numberOf(year: string | undefined, month: string | number | undefined, day: string | undefined) {
  const time = Date.UTC(Number(year), Number(month) - 1, Number(day));
  const date = new Date(time);
  // There is no 30 February.
  return date.getUTCMonth() + 1 === Number(month) && date.getUTCDate() === Number(day) ? time / DAY_MS : undefined;
}
