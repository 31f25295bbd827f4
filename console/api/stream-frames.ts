// What the stream says, taken from its lines.

export interface StreamEvent {
  /** Empty for the stream's own words, such as `stream.reset`. */
  id: string
  type: string
  /** Undefined when it only says from where to go on. */
  data: unknown
}

/** `onBytes`: somebody is there, even if it is only a heartbeat. */
export async function* eventsIn(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  onBytes: () => void,
): AsyncGenerator<StreamEvent> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    onBytes()
    const frames = (rest + value).split('\n\n')
    rest = frames.pop() ?? ''
    for (const frame of frames) {
      const event = parseFrame(frame)
      if (event) yield event
    }
  }
}

function parseFrame(frame: string): StreamEvent | undefined {
  const fields = new Map<string, string>()
  for (const line of frame.split('\n')) {
    // JSON leaves U+2028 and U+2029 as they are: they end no line here, but without `s` they would end what `.` takes.
    const [, name = '', value = ''] = /^([^:]*): ?(.*)$/s.exec(line) ?? []
    fields.set(name, fields.has(name) ? `${fields.get(name)}\n${value}` : value)
  }
  const [id = '', data] = [fields.get('id'), fields.get('data')]
  if (data === undefined && id === '') return undefined
  return { id, type: fields.get('event') ?? '', data: data && JSON.parse(data) }
}
