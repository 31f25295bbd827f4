// Alerts as a whole: who looks for trouble, who tells of it, and who changes whom it is told.
import type { Vault } from '../accounts/vault.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/connect.ts'
import type { Poster } from '../events/post.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import type { Clock, Random } from '../time-and-chance.ts'
import type { ChannelManager } from './channels.ts'
import { environmentChannels } from './environment.ts'
import { createEvaluator, type Evaluator } from './evaluate.ts'
import { type AlertQueue, createAlertQueue } from './queue.ts'

interface Parts {
  db: Db
  clock: Clock
  random: Random
  vault: Vault
  poster: Poster
  config: Pick<
    Config,
    | 'dlqAlertThreshold'
    | 'tokenWarningDays'
    | 'backlogAlertSeconds'
    | 'backlogWaitingAlertSeconds'
    | 'alertRepeatMinutes'
    | 'slackWebhookUrl'
    | 'pagerdutyRoutingKey'
    | 'pagerdutyEventsUrl'
    | 'allowPrivateTargets'
    | 'publicUrl'
  >
}

export interface AlertingOptions extends Parts {
  log: Log
  metrics: Metrics
  /** Called after a commit that left something to be told, and waited for: there may be no time afterwards. */
  onNotified: () => unknown
}

export interface Alerting extends Evaluator {
  queue: AlertQueue
}

export function createAlerting(options: AlertingOptions): Alerting {
  const { config } = options
  const channels = environmentChannels(config)
  const evaluator = createEvaluator({
    ...options,
    limits: {
      deadLetters: config.dlqAlertThreshold,
      tokenWarningDays: config.tokenWarningDays,
      backlogSeconds: config.backlogAlertSeconds,
      backlogWaitingSeconds: config.backlogWaitingAlertSeconds,
    },
    repeatMinutes: config.alertRepeatMinutes,
    publicUrl: config.publicUrl,
    environmentChannels: channels,
  })
  const { pagerdutyEventsUrl } = config
  const queue = createAlertQueue({ ...options, environmentChannels: channels, pagerdutyEventsUrl })
  return { ...evaluator, queue }
}

export function channelManagerOf({ config, ...parts }: Parts): ChannelManager {
  return { ...parts, ...config, environmentChannels: environmentChannels(config) }
}
