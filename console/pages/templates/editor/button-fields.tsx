// The buttons below a template: each kind with its own fields, within Meta's limits.
import { Field } from '../../../parts/basics.tsx'
import { IconButton } from '../../../parts/button.tsx'
import { Icon } from '../../../parts/icon.tsx'
import { Menu, MenuItem } from '../../../parts/menu.tsx'
import { useWords } from '../../../words/language.tsx'
import { buttonKinds, type DraftButton, newButton } from '../draft.ts'
import { buttonIcons } from '../preview.tsx'
import { variablesIn } from '../variables.ts'
import type { FormPart } from './form.ts'
import { editorWords } from './words.ts'

const maxButtons = 10
const maxOf: Record<string, number> = { URL: 2, PHONE_NUMBER: 1, COPY_CODE: 1 }

export function ButtonFields({ form }: { form: FormPart }) {
  const words = useWords(editorWords)
  const { draft, write, problemOf } = form
  const { buttons } = draft.content
  const isRoomFor = (kind: string) =>
    buttons.filter((one) => one.kind === kind).length < (maxOf[kind] ?? maxButtons)
  const problem = problemOf('buttons')
  return (
    <fieldset className="templates-buttons">
      <legend className="label">{words.buttons}</legend>
      {buttons.map((button, index) => (
        <OneButton
          key={button.key}
          button={button}
          index={index}
          form={form}
          onMoveUp={
            index === 0
              ? undefined
              : () => {
                  const others = buttons.filter((one) => one !== button)
                  write({ buttons: others.toSpliced(index - 1, 0, button) }, 'order')
                }
          }
        />
      ))}
      {problem && <p className="hint bad">{problem}</p>}
      {buttons.length < maxButtons && (
        <Menu
          label={words.addButton}
          button={(press) => (
            <button type="button" className="btn sm" {...press}>
              <Icon name="plus" size={14} />
              {words.addButton}
            </button>
          )}
        >
          {(close) =>
            buttonKinds.filter(isRoomFor).map((kind) => (
              <MenuItem
                key={kind}
                onClick={() => {
                  close()
                  write({ buttons: [...buttons, newButton(kind)] }, 'order')
                }}
              >
                <Icon name={buttonIcons[kind]} />
                {words.buttonKinds[kind]}
              </MenuItem>
            ))
          }
        </Menu>
      )}
    </fieldset>
  )
}

interface OneButtonProps {
  button: DraftButton
  index: number
  form: FormPart
  onMoveUp: (() => void) | undefined
}

function OneButton({ button, index, form, onMoveUp }: OneButtonProps) {
  const words = useWords(editorWords)
  const { draft, write, problemOf } = form
  const { buttons } = draft.content
  const field = (
    key: 'text' | 'url' | 'phoneNumber' | 'example',
    label: string,
    { api = key as string, hint }: { api?: string; hint?: string } = {},
  ) => (
    <Field label={label} {...(hint && { hint })} problem={problemOf(`buttons ${index} ${api}`)}>
      {(tied) => (
        <input
          {...tied}
          className="control"
          name={`button ${index} ${key}`}
          value={button[key]}
          onChange={(event) =>
            write(
              {
                buttons: buttons.map((one) =>
                  one === button ? { ...one, [key]: event.target.value } : one,
                ),
              },
              `buttons ${index} ${api}`,
            )
          }
        />
      )}
    </Field>
  )
  const { kind } = button
  return (
    <div className="templates-button" role="group" aria-label={words.buttonKinds[kind]}>
      <div className="row">
        <Icon name={buttonIcons[kind]} />
        <b className="strong">{words.buttonKinds[kind]}</b>
        <span className="push row">
          {onMoveUp && (
            <IconButton
              className="templates-up"
              icon="down"
              label={words.moveUp}
              onClick={onMoveUp}
            />
          )}
          <IconButton
            icon="trash"
            label={words.removeButton}
            onClick={() => write({ buttons: buttons.filter((one) => one !== button) }, 'order')}
          />
        </span>
      </div>
      {kind === 'OTHER' && <p className="hint">{words.otherButton}</p>}
      {kind !== 'OTHER' && (
        <div className="templates-pair">
          {kind !== 'COPY_CODE' && field('text', words.buttonText)}
          {kind === 'URL' && field('url', words.url, { hint: words.urlHint })}
          {kind === 'URL' &&
            variablesIn(button.url).length > 0 &&
            field('example', words.urlExample)}
          {kind === 'PHONE_NUMBER' &&
            field('phoneNumber', words.phoneNumber, { api: 'phone_number' })}
          {kind === 'COPY_CODE' && field('example', words.code)}
        </div>
      )}
    </div>
  )
}
