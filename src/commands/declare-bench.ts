// `estafet bench …`: its options.
import type { CliCommand } from './cli-command.ts'

const load = () => import('./bench.ts')

export function declareBench(program: CliCommand): void {
  const bench = program
    .command('bench')
    .description('measure this machine, beside what one would write first')
  bench
    .command('all')
    .description('every scenario, and docs/speed.md with its pictures from the results')
    .option('--quick', 'a short run, for a first look; changes no file here')
    .option('--rounds <count>', 'how often everything is measured (3)')
    .option('--out <folder>', 'where to write the results (bench/results)')
    .option('--render-only', 'measure nothing: the page from the results there are')
    .json()
    .example('bench all', 'bench all --quick', 'bench all --render-only')
    .runs(load, (it) => it.benchAllCommand)
  scenario(bench, 'ingest')
    .description('webhook to committed row: throughput, latency and CPU time, as ratios')
    .option('--seconds <count>', 'how long each measurement takes (5)')
    .option('--connections <list>', 'how many at once, separated by commas (8,64,256)')
    .runs(load, (it) => it.benchIngestCommand)
  scenario(bench, 'inbound')
    .description('webhook to readable message, and how its cost grows with what is stored')
    .option('--sizes <list>', 'how many messages are stored (10000,100000,1000000)')
    .option('--events <count>', 'how many webhooks are measured at a time (2000)')
    .runs(load, (it) => it.benchInboundCommand)
  scenario(bench, 'outbox')
    .description(
      'the send queue beside graphile-worker and pg-boss, its claims, and sends over HTTP',
    )
    .option('--jobs <count>', 'how many are processed at a time (30000)')
    .option('--pending <list>', 'out of how many claims are timed (10000,100000,1000000)')
    .runs(load, (it) => it.benchOutboxCommand)
  scenario(bench, 'weather')
    .description('healthy numbers beside slow, throttled and sick ones, and what follows an outage')
    .option('--seconds <count>', 'how long each load lasts (20)')
    .runs(load, (it) => it.benchWeatherCommand)
  scenario(bench, 'health')
    .description('how long health takes to answer, with much and with little in the database')
    .option('--rows <count>', 'events, and as many messages to send (1000000)')
    .option('--samples <count>', 'questions a round (300)')
    .runs(load, (it) => it.benchHealthCommand)
  scenario(bench, 'cost')
    .description('what a message costs: transactions, log of Postgres and tasks, counted')
    .option('--messages <count>', 'how many of each kind (100)')
    .runs(load, (it) => it.benchCostCommand)
}

function scenario(bench: CliCommand, name: string): CliCommand {
  return bench
    .command(name)
    .option('--quick', 'a short run, for a first look; changes no file here')
    .option('--rounds <count>', 'how often everything is measured (3)')
    .option('--out <file>', `where to write the results (bench/results/${name}.json)`)
    .json()
    .example(`bench ${name} --quick`, `bench ${name} --out ${name}.json`)
}
