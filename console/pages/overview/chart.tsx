// One small chart: a line, its limit, and a cursor that all charts share. Drawn by uPlot; said by the table behind it.
import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { boundsOf, type Series } from './series.ts'

export interface ChartProps {
  /** Seconds since 1970, the same for all charts. */
  times: number[]
  values: (number | null)[]
  limit: number | null
  scale: Series['scale']
  /** Colours come from the page's theme: another one, another chart. */
  theme: string
  say(value: number): string
  sayTime(seconds: number): string
  onCursor(index: number | null): void
  onReady(chart: uPlot | undefined): void
}

const height = 108
const syncKey = 'overview'
const daySeconds = 86_400

export function Chart(props: ChartProps) {
  const holder = useRef<HTMLDivElement>(null)
  const chart = useRef<uPlot>(undefined)
  // What it is drawn with may change without it being made anew.
  const latest = useRef(props)
  latest.current = props
  const { times, values, theme, limit } = props

  // biome-ignore lint/correctness/useExhaustiveDependencies: made anew for another theme or limit; data is set below.
  useEffect(() => {
    const place = holder.current
    if (!place) return
    const made = new uPlot(optionsOf(place, latest), dataOf(latest.current), place)
    chart.current = made
    props.onReady(made)
    const watch = new ResizeObserver(() => {
      if (place.clientWidth > 0) made.setSize({ width: place.clientWidth, height })
    })
    watch.observe(place)
    return () => {
      watch.disconnect()
      made.destroy()
      chart.current = undefined
      props.onReady(undefined)
    }
  }, [theme, limit])

  useEffect(() => {
    chart.current?.setData([times, values])
  }, [times, values])

  return <div ref={holder} className="overview-plot" aria-hidden="true" />
}

const dataOf = ({ times, values }: ChartProps): uPlot.AlignedData => [times, values]

function optionsOf(place: HTMLElement, latest: { current: ChartProps }): uPlot.Options {
  const style = getComputedStyle(place)
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim()
  const font = `11px ${style.fontFamily}`
  const axis: uPlot.Axis = { stroke: colour('text-3'), font, ticks: { show: false }, gap: 4 }
  const { limit } = latest.current
  return {
    width: Math.max(1, place.clientWidth),
    height,
    padding: [12, 0, 0, 0],
    legend: { show: false },
    select: { show: false, left: 0, top: 0, width: 0, height: 0 },
    cursor: {
      sync: { key: syncKey, setSeries: false },
      y: false,
      drag: { x: false, y: false, setScale: false },
      points: { size: 9, width: 2, fill: colour('accent'), stroke: colour('surface') },
    },
    scales: {
      x: { time: true },
      y: {
        range: () => {
          const { values, scale } = latest.current
          return boundsOf(values, limit, scale)
        },
      },
    },
    axes: [
      {
        ...axis,
        size: 20,
        // A day needs more room than a time.
        space: (_self, _axis, from, to) => (to - from > 2 * daySeconds ? 60 : 44),
        grid: { show: false },
        // One that would be cut off at the edge says less than none.
        values: (self, splits) =>
          splits.map((at) => (self.valToPos(at, 'x') < 16 ? '' : latest.current.sayTime(at))),
      },
      {
        ...axis,
        side: 1,
        size: 52,
        grid: { stroke: colour('border'), width: 1 },
        splits: (_, __, least, most) => [least, most],
        values: (_, splits) => splits.map((value) => latest.current.say(value)),
      },
    ],
    series: [
      {},
      {
        stroke: (self) => lineColour(self, limit, colour('text-2'), colour('bad-solid')),
        width: 1.5,
        fill: `color-mix(in srgb, ${colour('text-3')} 10%, transparent)`,
        // A value between two gaps has no line to be seen by.
        points: { show: true, size: 4, fill: colour('text-2'), filter: loneliesOf },
      },
    ],
    hooks: {
      draw: [(self) => drawLimit(self, latest.current, colour('bad'), font)],
      setCursor: [(self) => latest.current.onCursor(self.cursor.idx ?? null)],
    },
  }
}

/** Red past the limit, and only there. */
function lineColour(self: uPlot, limit: number | null, plain: string, past: string) {
  if (limit === null) return plain
  const { top, height: size } = self.bbox
  const share = (self.valToPos(limit, 'y', true) - top) / size
  if (!(share > 0)) return plain
  const colours = self.ctx.createLinearGradient(0, top, 0, top + size)
  const stop = Math.min(1, share)
  colours.addColorStop(0, past)
  colours.addColorStop(stop, past)
  colours.addColorStop(stop, plain)
  colours.addColorStop(1, plain)
  return colours
}

function loneliesOf(self: uPlot): number[] {
  const [, values = []] = self.data
  const isKnown = (index: number) => typeof values[index] === 'number'
  return [...values.keys()].filter(
    (index) => isKnown(index) && !isKnown(index - 1) && !isKnown(index + 1),
  )
}

function drawLimit(self: uPlot, { limit, say }: ChartProps, colour: string, font: string): void {
  if (limit === null) return
  const { ctx, bbox } = self
  const ratio = uPlot.pxRatio
  const y = Math.round(self.valToPos(limit, 'y', true)) + 0.5
  ctx.save()
  ctx.strokeStyle = colour
  ctx.lineWidth = ratio
  ctx.setLineDash([3 * ratio, 3 * ratio])
  ctx.beginPath()
  ctx.moveTo(bbox.left, y)
  ctx.lineTo(bbox.left + bbox.width, y)
  ctx.stroke()
  ctx.fillStyle = colour
  ctx.font = font.replace('11px', `${11 * ratio}px`)
  ctx.textAlign = 'left'
  ctx.textBaseline = 'middle'
  ctx.fillText(say(limit), bbox.left + bbox.width + 4 * ratio, y)
  ctx.restore()
}
