// One message of every kind that can be sent, in Meta's shape, without a recipient. All of it is fictional.
export type Content = Record<string, unknown> & { type: string }

const body = { text: 'Which one suits you?' }
const link = 'https://files.example/a.jpg'

const interactive = (content: Content): Content => ({ type: 'interactive', interactive: content })

export const interactiveMessages: Record<string, Content> = {
  button: interactive({
    type: 'button',
    header: { type: 'image', image: { link } },
    body,
    footer: { text: 'Office hours 9 to 5' },
    action: {
      buttons: [
        { type: 'reply', reply: { id: 'yes', title: 'Yes' } },
        { type: 'reply', reply: { id: 'no', title: 'No' } },
      ],
    },
  }),
  list: interactive({
    type: 'list',
    header: { type: 'text', text: 'Appointments' },
    body,
    action: {
      button: 'Choose',
      sections: [
        { title: 'Monday', rows: [{ id: 'm9', title: '9:00', description: 'With Dr. Vega' }] },
        { title: 'Tuesday', rows: [{ id: 't9', title: '9:00' }] },
      ],
    },
  }),
  cta_url: interactive({
    type: 'cta_url',
    header: { type: 'document', document: { id: '1037543291540001', filename: 'terms.pdf' } },
    body,
    action: {
      name: 'cta_url',
      parameters: { display_text: 'Open', url: 'https://firm.example/case?id=7' },
    },
  }),
  location_request_message: interactive({
    type: 'location_request_message',
    body,
    action: { name: 'send_location' },
  }),
  flow: interactive({
    type: 'flow',
    body,
    action: {
      name: 'flow',
      parameters: {
        flow_message_version: '3',
        flow_id: '1689556908129840',
        flow_cta: 'Sign up',
        flow_token: 'case-7',
        mode: 'published',
        flow_action: 'navigate',
        flow_action_payload: { screen: 'FIRST', data: { any: ['shape'] } },
      },
    },
  }),
  product: interactive({
    type: 'product',
    action: { catalog_id: '194836987003835', product_retailer_id: 'di9ozbzfi4' },
  }),
  product_list: interactive({
    type: 'product_list',
    header: { type: 'text', text: 'Forms' },
    body,
    action: {
      catalog_id: '194836987003835',
      sections: [{ title: 'Wills', product_items: [{ product_retailer_id: 'w1' }] }],
    },
  }),
  catalog_message: interactive({
    type: 'catalog_message',
    body,
    action: {
      name: 'catalog_message',
      parameters: { thumbnail_product_retailer_id: '2lc20305pt' },
    },
  }),
  'carousel of links': interactive({
    type: 'carousel',
    body,
    action: {
      cards: [0, 1].map((card_index) => ({
        card_index,
        type: 'cta_url',
        header: { type: 'image', image: { link } },
        body: { text: 'One\ntwo\nthree' },
        action: { name: 'cta_url', parameters: { display_text: 'Open', url: link } },
      })),
    },
  }),
  'carousel of replies': interactive({
    type: 'carousel',
    body,
    action: {
      cards: [0, 1].map((card_index) => ({
        card_index,
        header: { type: 'video', video: { id: '77' } },
        action: {
          buttons: [{ type: 'quick_reply', quick_reply: { id: `c${card_index}`, title: 'This' } }],
        },
      })),
    },
  }),
  'carousel of products': interactive({
    type: 'carousel',
    body,
    action: {
      cards: [0, 1].map((card_index) => ({
        card_index,
        type: 'product',
        action: { catalog_id: '194836987003835', product_retailer_id: `p${card_index}` },
      })),
    },
  }),
  address_message: interactive({
    type: 'address_message',
    body,
    action: {
      name: 'address_message',
      parameters: {
        country: 'IN',
        values: { name: 'Mara Quint', in_pin_code: '400063' },
        saved_addresses: [{ id: 'a1', value: { city: 'Mumbai' } }],
        a_field_of_next_year: true,
      },
    },
  }),
  call_permission_request: interactive({
    type: 'call_permission_request',
    action: { name: 'call_permission_request' },
  }),
  voice_call: interactive({
    type: 'voice_call',
    body,
    action: {
      name: 'voice_call',
      parameters: { display_text: 'Call us', ttl_minutes: 100, payload: 'case-7' },
    },
  }),
  order_details: interactive({
    type: 'order_details',
    body,
    action: {
      name: 'review_and_pay',
      parameters: { reference_id: 'o-7', currency: 'BRL', order: { status: 'pending', items: [] } },
    },
  }),
  order_status: interactive({
    type: 'order_status',
    body,
    action: {
      name: 'review_order',
      parameters: { reference_id: 'o-7', order: { status: 'shipped' } },
    },
  }),
}

export const templateOf = (...components: unknown[]) => ({
  name: 'order_update',
  language: { code: 'en_US' },
  ...(components.length > 0 && { components }),
})

export const templates: Record<string, Content> = Object.fromEntries(
  Object.entries({
    bare: templateOf(),
    'with texts and money': templateOf(
      { type: 'header', parameters: [{ type: 'text', text: 'Hello' }] },
      {
        type: 'body',
        parameters: [
          { type: 'text', parameter_name: 'first_name', text: 'Mara' },
          {
            type: 'currency',
            currency: { fallback_value: '$100.99', code: 'USD', amount_1000: 100_990 },
          },
          { type: 'date_time', date_time: { fallback_value: 'February 25', year: 2027 } },
        ],
      },
      { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: '7a' }] },
      {
        type: 'button',
        sub_type: 'quick_reply',
        index: 1,
        parameters: [{ type: 'payload', payload: 'stop' }],
      },
      {
        type: 'BUTTON',
        sub_type: 'COPY_CODE',
        index: 2,
        parameters: [{ type: 'coupon_code', coupon_code: '25OFF' }],
      },
    ),
    'with a picture': templateOf({
      type: 'header',
      parameters: [{ type: 'image', image: { id: '77' } }],
    }),
    'with a document': templateOf({
      type: 'header',
      parameters: [{ type: 'document', document: { link, filename: 'a.pdf' } }],
    }),
    'with a place': templateOf({
      type: 'header',
      parameters: [
        { type: 'location', location: { latitude: '37.48', longitude: '-122.14', name: 'Office' } },
      ],
    }),
    'with a carousel': templateOf({
      type: 'carousel',
      cards: [0, 1].map((card_index) => ({
        card_index,
        components: [
          { type: 'header', parameters: [{ type: 'video', video: { id: '77' } }] },
          {
            type: 'button',
            sub_type: 'quick_reply',
            index: 0,
            parameters: [{ type: 'payload', payload: 'x' }],
          },
        ],
      })),
    }),
    'with an offer': templateOf({
      type: 'limited_time_offer',
      parameters: [
        {
          type: 'limited_time_offer',
          limited_time_offer: { expiration_time_ms: 1_788_300_000_000 },
        },
      ],
    }),
    'with products': templateOf({
      type: 'button',
      sub_type: 'mpm',
      index: 0,
      parameters: [
        { type: 'action', action: { thumbnail_product_retailer_id: 'w1', sections: [] } },
      ],
    }),
    'of a kind that does not exist yet': templateOf(
      { type: 'hologram', projector: { lumen: 7 } },
      { type: 'body', parameters: [{ type: 'smell', smell: 'roses', strength: 3 }] },
    ),
  }).map(([name, template]) => [`template ${name}`, { type: 'template', template }]),
)

export const plainMessages: Record<string, Content> = {
  text: { type: 'text', text: { body: 'Good morning', preview_url: true } },
  'image by id': { type: 'image', image: { id: '1037543291540001', caption: 'The bill' } },
  'image by link': { type: 'image', image: { link } },
  audio: { type: 'audio', audio: { id: '1037543291540001', voice: true } },
  video: { type: 'video', video: { link: 'http://files.example/v.mp4', caption: 'Clip' } },
  document: { type: 'document', document: { link, filename: 'bill.pdf', caption: 'The bill' } },
  sticker: { type: 'sticker', sticker: { id: '1037543291540001' } },
  location: {
    type: 'location',
    location: { latitude: 37.48, longitude: -122.14, name: 'Office', address: '1 Main Street' },
  },
  contacts: {
    type: 'contacts',
    contacts: [
      {
        name: { formatted_name: 'Mara Quint', first_name: 'Mara', last_name: 'Quint' },
        phones: [{ phone: '+1 650 555 0143', type: 'WORK', wa_id: '16505550143' }],
        emails: [{ email: 'mara@firm.example', type: 'WORK' }],
        urls: [{ url: 'https://firm.example', type: 'WORK' }],
        addresses: [{ street: '1 Main Street', city: 'Port', country_code: 'us', type: 'WORK' }],
        org: { company: 'Quint & Partners', title: 'Partner' },
        birthday: '1980-02-29',
      },
    ],
  },
  reaction: {
    type: 'reaction',
    reaction: { message_id: 'wamid.HBgLMTY1MDU1NTAxNDM', emoji: '👩‍⚖️' },
  },
  'reaction taken back': { type: 'reaction', reaction: { message_id: 'wamid.HBgL', emoji: '' } },
}

/** Each with its name. */
export const everyMessage: [string, Content][] = Object.entries({
  ...plainMessages,
  ...interactiveMessages,
  ...templates,
})
