// Taking an account off the gateway: what ends, what stays, and what becomes of what waits.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { remove } from '../../api/call.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Trouble } from '../../parts/states.tsx'
import { useToasts } from '../../parts/toast.tsx'
import { usePlace } from '../../shell/place.tsx'
import { useTenant } from '../../shell/tenant.tsx'
import { common } from '../../words/common.ts'
import { useFormat, useWords } from '../../words/language.tsx'
import { keys } from './data.ts'
import type { Account } from './types.ts'
import { accountWords } from './words.ts'

export function Disconnect({ account, onClose }: { account: Account; onClose(): void }) {
  const words = useWords(accountWords)
  const shared = useWords(common)
  const format = useFormat()
  const { say } = useToasts()
  const { go } = usePlace()
  const { id: tenantId } = useTenant()
  const queries = useQueryClient()
  const leave = useMutation({
    mutationFn: () => remove(`/api/admin/tenants/${tenantId}/accounts/${account.id}`),
    onSuccess: () => {
      say(words.disconnected(account.display_phone_number))
      void queries.invalidateQueries({ queryKey: keys.accounts })
      go('/accounts', {}, { replace: true })
    },
  })
  return (
    <Dialog
      title={words.disconnectTitle(account.display_phone_number)}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>{shared.cancel}</Button>
          <Button look="danger" busy={leave.isPending} onClick={() => leave.mutate()}>
            {words.disconnectDo}
          </Button>
        </>
      }
    >
      <p>{words.disconnectEnds}</p>
      {account.waiting_count > 0 && (
        <p className="warn">{words.disconnectWaiting(format.number(account.waiting_count))}</p>
      )}
      <p>{words.disconnectStays}</p>
      {leave.error && <Trouble error={leave.error} />}
    </Dialog>
  )
}
