// What an operator asks and does every day: health, doctor, trace, replay, reconcile, audit, keys.
import type { CliCommand } from './cli-command.ts'

export function declareOps(program: CliCommand): void {
  program
    .command('health')
    .description('what waits, what failed, who needs a person')
    .json()
    .example('health', 'health --json')
    .runs(
      () => import('./manage.ts'),
      (it) => it.health,
    )
  program
    .command('doctor')
    .description('whether connected numbers work, and what to do; exits with 1 when one does not')
    .argument('[account]', 'acc_…; all of them, unless said')
    .option('--tenant <tenant>', 'id or slug: only its accounts')
    .option('--repair', 'do what can be done: subscribe the app, register the number')
    .json()
    .example('doctor', 'doctor --tenant flowers --repair')
    .runs(
      () => import('./doctor.ts'),
      (it) => it.doctorCommand,
    )
  declareEvidence(program)
  declareAudit(program)
  program
    .command('keys')
    .description('which of ENCRYPTION_KEYS are still needed; exits with 1 when one is missing')
    .json()
    .example('keys')
    .runs(
      () => import('./keys.ts'),
      (it) => it.keysCommand,
    )
}

function declareEvidence(program: CliCommand): void {
  const load = () => import('./ops.ts')
  program
    .command('trace')
    .description('the life of one message or delivery, in the order of time')
    .argument(
      '<what>',
      'wamid, msg_…, dlq_…, an event, correlation or trace id, or h_… from a log line',
    )
    .json()
    .example('trace msg_…', 'trace wamid.… --json')
    .runs(load, (it) => it.traceCommand)
  program
    .command('reconcile')
    .description('prove that everything received is accounted for; exits with 1 when it is not')
    .json()
    .example('reconcile')
    .runs(load, (it) => it.reconcileCommand)
  program
    .command('replay')
    .description('process stored webhooks again; nothing is applied twice. Says what it would do')
    .requiredOption('--from <time>', 'received at this time or later, RFC 3339')
    .option('--to <time>', 'received before this time; now, unless said')
    .option('--tenant <tenant>', 'id or slug')
    .option('--phone-number-id <id>', 'Meta’s id of the number')
    .option('--apply', 'do it')
    .option('--reason <reason>', 'why; kept in the audit')
    .json()
    .example(
      'replay --from 2030-01-31T09:00:00Z',
      'replay --from 2030-01-31T09:00:00Z --tenant flowers --apply --reason "responder was down"',
    )
    .runs(load, (it) => it.replayCommand)
}

function declareAudit(program: CliCommand): void {
  const load = () => import('./audit.ts')
  const audit = program.command('audit').description('who did what')
  audit
    .command('list')
    .description('list acts, the latest first')
    .option('--tenant <tenant>', 'id or slug')
    .pages()
    .json()
    .example('audit list --tenant flowers')
    .runs(load, (it) => it.auditList)
  audit
    .command('verify')
    .description(
      'check that nobody changed, removed or added a row; exits with 1 when somebody did',
    )
    .option('--tenant <tenant>', 'id or slug')
    .json()
    .example('audit verify')
    .runs(load, (it) => it.auditVerify)
}
