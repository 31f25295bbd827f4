// Files that a customer sends to a firm, by way of a simulated Meta.
import { jpegBytes, makeFetchesDue } from './media.ts'
import type { Firm, Sending } from './sending.ts'

export const customer = '16505550199'

export interface InboundFiles {
  /** The customer sends this file; the message's id. */
  receive(
    bytes?: Buffer,
    type?: 'image' | 'document',
    more?: Record<string, unknown>,
  ): Promise<string>
  /** The same, of a file that Meta has or has not under this id. */
  receiveNamed(id: string, type: string, more?: Record<string, unknown>): Promise<string>
  newestMessage(): Promise<string>
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers of every shape.
  read(messageId: string): Promise<any>
  /** As if everything had waited long enough. */
  fetchAgain(): Promise<void>
}

export function inboundFiles(world: Sending, firm: Firm): InboundFiles {
  const { simulator, gateway } = world
  const newestMessage = async () => {
    const list = await gateway.call('GET', '/api/whatsapp/messages?limit=1', { key: firm.key })
    return list.json.data[0].id
  }
  const receiveNamed: InboundFiles['receiveNamed'] = async (id, type, more = {}) => {
    simulator.customerWrites(customer, {
      phone_number_id: firm.phoneNumberId,
      type: type as 'image',
      [type]: { id, ...more },
    })
    await world.hearMeta()
    return newestMessage()
  }
  return {
    receiveNamed,
    newestMessage,
    receive: (bytes = jpegBytes, type = 'image', more = {}) => {
      const { id } = simulator.addCustomerFile({
        phone_number_id: firm.phoneNumberId,
        mime_type: type === 'image' ? 'image/jpeg' : 'application/pdf',
        base64: bytes.toString('base64'),
      })
      return receiveNamed(id, type, more)
    },
    read: (messageId) => world.read(firm, messageId),
    async fetchAgain() {
      await makeFetchesDue(gateway)
      await gateway.fetchMedia()
    },
  }
}
