// The templates a new business account starts with: Meta's hello_world, and one of each category to
// try sends with.
import type { Category, TemplateComponent } from './template-components.ts'
import type { Template } from './templates.ts'

interface Sample {
  name: string
  language: string
  category: Category
  parameter_format: 'POSITIONAL' | 'NAMED'
  components: TemplateComponent[]
}

const samples: Sample[] = [
  {
    name: 'hello_world',
    language: 'en_US',
    category: 'UTILITY',
    parameter_format: 'POSITIONAL',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Hello World' },
      {
        type: 'BODY',
        text: 'Welcome and congratulations! This message shows that you can send messages.',
      },
      { type: 'FOOTER', text: 'WhatsApp Business Platform sample message' },
    ],
  },
  {
    name: 'order_update',
    language: 'en_US',
    category: 'UTILITY',
    parameter_format: 'POSITIONAL',
    components: [
      {
        type: 'BODY',
        text: 'Hi {{1}}, order {{2}} has shipped.',
        example: { body_text: [['Mara', '88231']] },
      },
    ],
  },
  {
    name: 'autumn_promo',
    language: 'en',
    category: 'MARKETING',
    parameter_format: 'NAMED',
    components: [
      { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['4::sample'] } },
      {
        type: 'BODY',
        text: 'Good news for you, {{first_name}}: 20% off everything today.',
        example: { body_text_named_params: [{ param_name: 'first_name', example: 'Mara' }] },
      },
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'QUICK_REPLY', text: 'Not interested' },
          {
            type: 'URL',
            text: 'Shop now',
            url: 'https://shop.example/autumn?c={{1}}',
            example: ['https://shop.example/autumn?c=mara'],
          },
        ],
      },
    ],
  },
  {
    name: 'sign_in_code',
    language: 'en_US',
    category: 'AUTHENTICATION',
    parameter_format: 'POSITIONAL',
    components: [
      {
        type: 'BODY',
        text: '*{{1}}* is your verification code.',
        add_security_recommendation: false,
        example: { body_text: [['123456']] },
      },
      {
        type: 'BUTTONS',
        buttons: [
          {
            type: 'URL',
            otp_type: 'COPY_CODE',
            text: 'Copy code',
            url: 'https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp{{1}}',
            example: ['https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp123456'],
          },
        ],
      },
    ],
  },
]

export function sampleTemplates(wabaId: string, now: Date): Omit<Template, 'id'>[] {
  return structuredClone(samples).map((sample) => ({
    ...approvedDefaults(now),
    ...sample,
    waba_id: wabaId,
  }))
}

/** Of a template that has been there for long: approved, unedited, and synced everywhere. */
export function approvedDefaults(now: Date) {
  const dayAgo = new Date(now.getTime() - 24 * 60 * 60 * 1000)
  return {
    status: 'APPROVED' as const,
    rejected_reason: 'NONE',
    quality_score: 'UNKNOWN' as const,
    created_at: dayAgo,
    approved_at: dayAgo,
    edits_at: [],
    pacing: null,
    refuses_with: null,
  }
}
