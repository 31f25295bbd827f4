// Times, lengths of time, numbers and sizes, as people say them in each language.

type Language = 'en' | 'es' | 'pt' | 'id'

const locales: Record<Language, string> = { en: 'en-GB', es: 'es-419', pt: 'pt-BR', id: 'id-ID' }

const units: Record<Language, { d: string; h: string; min: string; s: string; ms: string }> = {
  en: { d: 'd', h: 'h', min: 'min', s: 's', ms: 'ms' },
  es: { d: 'd', h: 'h', min: 'min', s: 's', ms: 'ms' },
  pt: { d: 'd', h: 'h', min: 'min', s: 's', ms: 'ms' },
  id: { d: 'hr', h: 'j', min: 'mnt', s: 'dtk', ms: 'md' },
}

const relative: Record<
  Language,
  {
    now: string
    today: string
    yesterday: string
    ago(length: string): string
    in(length: string): string
  }
> = {
  en: {
    now: 'now',
    today: 'Today',
    yesterday: 'Yesterday',
    ago: (l) => `${l} ago`,
    in: (l) => `in ${l}`,
  },
  es: {
    now: 'ahora',
    today: 'Hoy',
    yesterday: 'Ayer',
    ago: (l) => `hace ${l}`,
    in: (l) => `en ${l}`,
  },
  pt: {
    now: 'agora',
    today: 'Hoje',
    yesterday: 'Ontem',
    ago: (l) => `há ${l}`,
    in: (l) => `em ${l}`,
  },
  id: {
    now: 'baru saja',
    today: 'Hari ini',
    yesterday: 'Kemarin',
    ago: (l) => `${l} lalu`,
    in: (l) => `dalam ${l}`,
  },
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

export type Moment = Date | string | number
export type Format = ReturnType<typeof createFormat>

export function createFormat(language: Language, timeZone?: string) {
  const locale = locales[language]
  const unit = units[language]
  const say = relative[language]
  const zone = timeZone === undefined ? {} : { timeZone }
  const times = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { ...zone, ...options })
  const clock = times({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  const clockWithSeconds = times({
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  })
  const weekday = times({ weekday: 'long', day: 'numeric', month: 'long' })
  const longDay = times({ day: 'numeric', month: 'long', year: 'numeric' })
  const shortDay = times({ day: 'numeric', month: 'short' })
  const shortDayWithYear = times({ day: 'numeric', month: 'short', year: 'numeric' })
  const exact = times({ dateStyle: 'full', timeStyle: 'long', hourCycle: 'h23' })
  const dayKey = new Intl.DateTimeFormat('en-CA', zone)
  const plain = new Intl.NumberFormat(locale)
  const oneDigit = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })

  /** `2026-11-16`, where the person is. */
  const dayOf = (at: Moment) => dayKey.format(new Date(at))
  // By the calendar: where clocks are put on or back, a day has 23 or 25 hours.
  const isDayBefore = (at: Moment, now: Moment) =>
    Date.parse(dayOf(now)) - Date.parse(dayOf(at)) === dayMs
  const yearOf = (at: Moment) => dayOf(at).slice(0, 4)

  const length = (ms: number) => lengthOf(ms, unit, plain)

  return {
    locale,
    dayOf,
    number: (value: number) => plain.format(value),
    percent: (share: number) => `${oneDigit.format(share * 100)} %`,
    length,
    /** For latencies: `402 ms`, `1.8 s`. */
    latency: (ms: number) =>
      ms < 1000
        ? `${plain.format(Math.round(ms))} ${unit.ms}`
        : ms < minuteMs
          ? `${oneDigit.format(ms / 1000)} ${unit.s}`
          : length(ms),
    bytes(size: number): string {
      if (size < 1000) return `${plain.format(size)} B`
      if (size < 1_000_000) return `${plain.format(Math.round(size / 1000))} kB`
      return `${oneDigit.format(size / 1_000_000)} MB`
    },
    time: (at: Moment) => clock.format(new Date(at)),
    timeWithSeconds: (at: Moment) => clockWithSeconds.format(new Date(at)),
    /** Everything, for hovering: day, time, zone. */
    exact: (at: Moment) => exact.format(new Date(at)),
    /** A separator between messages. */
    day(at: Moment, now: Moment): string {
      if (dayOf(at) === dayOf(now)) return say.today
      if (isDayBefore(at, now)) return say.yesterday
      return yearOf(at) === yearOf(now)
        ? weekday.format(new Date(at))
        : longDay.format(new Date(at))
    },
    /** For a row of a list: the time today, the day before. */
    short(at: Moment, now: Moment): string {
      if (dayOf(at) === dayOf(now)) return clock.format(new Date(at))
      if (isDayBefore(at, now)) return say.yesterday
      const isThisYear = yearOf(at) === yearOf(now)
      return (isThisYear ? shortDay : shortDayWithYear).format(new Date(at))
    },
    /** `4 min ago` up to a day, then the day. */
    ago(at: Moment, now: Moment): string {
      const passed = new Date(now).getTime() - new Date(at).getTime()
      if (passed < 10_000) return say.now
      if (passed < dayMs) return say.ago(length(passed))
      return shortDayWithYear.format(new Date(at))
    },
    /** `4 min` up to a day, then the day. */
    age(at: Moment, now: Moment): string {
      const passed = new Date(now).getTime() - new Date(at).getTime()
      if (passed < 10_000) return say.now
      return passed < dayMs ? length(passed) : this.short(at, now)
    },
    /** `in 4 min`. */
    until: (at: Moment, now: Moment) =>
      say.in(length(new Date(at).getTime() - new Date(now).getTime())),
  }
}

/** At most two units: `3 h 12 min`, `41 min`, `18 s`. */
function lengthOf(ms: number, unit: (typeof units)[Language], plain: Intl.NumberFormat): string {
  const whole = Math.max(0, ms)
  if (whole >= dayMs) {
    const hours = Math.floor((whole % dayMs) / hourMs)
    const days = `${plain.format(Math.floor(whole / dayMs))} ${unit.d}`
    return hours === 0 ? days : `${days} ${hours} ${unit.h}`
  }
  if (whole >= hourMs) {
    const minutes = Math.floor((whole % hourMs) / minuteMs)
    const hours = `${Math.floor(whole / hourMs)} ${unit.h}`
    return minutes === 0 ? hours : `${hours} ${minutes} ${unit.min}`
  }
  if (whole >= minuteMs) return `${Math.floor(whole / minuteMs)} ${unit.min}`
  return `${Math.floor(whole / 1000)} ${unit.s}`
}
