// The two tenants that `dev` shows, and the customers who write to them. All of it is fictional.
import { type Clock, type Random, sleep } from '../time-and-chance.ts'

export interface SampleTenant {
  slug: string
  name: string
  wabaId: string
  phoneNumberId: string
  displayPhoneNumber: string
  accessToken: string
  customers: [Customer, ...Customer[]]
}

interface Customer {
  waId: string
  name: string
}

/** Who can sign in to the console of `dev`: an operator, and people of the first sample tenant. */
export const samplePeople = [
  { name: 'Rosa Okafor (sample)', email: 'operator@estafet.example', role: 'operator' },
  { name: 'Inês Carvalho (sample)', email: 'admin@harbour-finch.example', role: 'admin' },
  { name: 'Damar Prasetya (sample)', email: 'agent@harbour-finch.example', role: 'agent' },
  { name: 'Lucía Ibáñez (sample)', email: 'lucia@harbour-finch.example', role: 'agent' },
] as const

/** The one that commands and documents are tried with. */
export const firstSample: SampleTenant = {
  slug: 'sample-harbour-finch',
  name: 'Harbour & Finch Legal (sample)',
  wabaId: '200000000000001',
  phoneNumberId: '300000000000001',
  displayPhoneNumber: '+1 555-0100',
  accessToken: 'sample-token-harbour-finch',
  customers: [
    { waId: '15550100101', name: 'Mara Quint (sample)' },
    { waId: '15550100102', name: 'Tomás Ibarra (sample)' },
    { waId: '15550100103', name: 'Ayu Lestari (sample)' },
  ],
}

export const sampleTenants: SampleTenant[] = [
  firstSample,
  {
    slug: 'sample-quay-street',
    name: 'Quay Street Advocates (sample)',
    wabaId: '200000000000002',
    phoneNumberId: '300000000000002',
    displayPhoneNumber: '+1 555-0200',
    accessToken: 'sample-token-quay-street',
    customers: [
      { waId: '15550100201', name: 'João Nogueira (sample)' },
      { waId: '15550100202', name: 'Ellis Ward (sample)' },
    ],
  },
]

const lines = [
  'Good morning, is my appointment still at ten?',
  'I have signed the papers, where shall I send them?',
  '¿Me pueden confirmar si recibieron el contrato?',
  'Obrigada! Vou enviar os documentos ainda hoje.',
  'Terima kasih, apakah ada kabar dari pengadilan?',
  'One more question about the invoice.',
  'The other side called me again. What should I say?',
  'Thank you, that helps a lot. 🙏',
]

type Write = (from: string, message: SampleMessage) => unknown
type SampleMessage = {
  phone_number_id: string
  name: string
  type: 'text' | 'location'
  [content: string]: unknown
}

/** A customer writes every few seconds until the signal says stop. */
export async function trickle(
  write: Write,
  clock: Clock,
  random: Random,
  signal: AbortSignal,
): Promise<void> {
  const pick = <T>(list: T[]): T => list[Math.floor(random.fraction() * list.length)] as T
  for (let count = 0; !signal.aborted; count++) {
    // First once to each, from the customer whom the first commands write to: they see somebody, and may answer.
    const first = sampleTenants[count]
    const tenant = first ?? pick(sampleTenants)
    const customer = first ? first.customers[0] : pick(tenant.customers)
    const isPlace = random.fraction() < 0.1
    write(customer.waId, {
      phone_number_id: tenant.phoneNumberId,
      name: customer.name,
      ...(isPlace
        ? {
            type: 'location' as const,
            location: { latitude: -6.2, longitude: 106.8, name: 'The office' },
          }
        : { type: 'text' as const, text: { body: pick(lines) } }),
    })
    await sleep(clock, 3_000 + 5_000 * random.fraction(), signal)
  }
}
