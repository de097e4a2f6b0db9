import type { ScheduleStore } from '../../../src/core/ports/index.ts';
import { createSchedules } from '../../../src/kernel/index.ts';
import { createResultReader, fixedKeyring } from '../../../src/lease/index.ts';
import { firingLane } from '../../../src/surfaces/shared/tasks/firing-lane.ts';
import { gatewayFor } from '../gateway.ts';
import type { Parts } from '../parts.ts';
import type { SimSchedule } from '../scenario.ts';
import { SimProcess } from '../scheduler.ts';
import { EXECUTOR_KEY } from '../tasks.ts';
import { cheapEd25519 } from '../twins/crypto.ts';
import { emptyKernelStores } from '../twins/kernel-store.ts';
import { storeFor } from '../twins/schedule-store.ts';
import { ScheduleWatch } from './checker.ts';
import { planWaysFor } from './plan-ways.ts';
import { SCHEDULE, whatOf } from './what.ts';

const MINUTE = 60_000;
const RESTART_MS = 900;
const ASK_MS = 700;

type Registry = ReturnType<typeof createSchedules>['registry'];

/** The kernel's process with a schedule in its store, and an operator; answers who judges the schedule in the end. */
export function startSchedule(parts: Parts, schedule: SimSchedule): () => void {
  const { world, kernel, kernelProcess, workers, open } = parts;
  const store = emptyKernelStores().schedules;
  const watch = new ScheduleWatch(parts, schedule, store);
  const counts = new Map<string, number>();
  let registry: Registry | undefined;
  let downUntil = 0;

  const boot = (): void => {
    const process = new SimProcess('kernel', world.scheduler);
    process.skewMs = kernel.skewMs;
    kernelProcess.current = process;
    world.scheduler.at(0, process, () => {
      registry = serve(parts, process, watch.store(storeFor(store, world, process, schedule.deaths, counts), process), watch);
      world.trace.say(world.now, process.name, 'serves schedules');
    });
  };
  const { onDeath } = world;
  world.onDeath = (process) => {
    onDeath(process);
    if (process !== kernelProcess.current) return;
    registry = undefined;
    kernel.restart();
    world.scheduler.at(Math.max(RESTART_MS, downUntil - world.now), undefined, boot);
  };
  boot();

  const { down, jump } = schedule;
  if (down !== undefined) {
    open.faults += 1;
    world.scheduler.at(down.at, undefined, () => {
      open.faults -= 1;
      world.strike('kernel-down', JSON.stringify(down));
      downUntil = world.now + down.forMs;
      world.lastTrouble = Math.max(world.lastTrouble, downUntil);
      if (kernelProcess.current !== undefined) world.kill(kernelProcess.current);
    });
  }
  if (jump !== undefined) {
    open.faults += 1;
    world.scheduler.at(jump.at, undefined, () => {
      open.faults -= 1;
      world.strike('clock', JSON.stringify(jump));
      kernel.skewMs += jump.byMs;
      for (const { process } of [...workers, { process: kernelProcess.current }]) if (process !== undefined) process.skewMs += jump.byMs;
    });
  }
  world.lastTrouble = Math.max(world.lastTrouble, schedule.until);
  operate(parts, schedule, store, () => registry);
  return () => watch.judge();
}

function serve(parts: Parts, process: SimProcess, watched: ScheduleStore, watch: ScheduleWatch): Registry {
  const { host, kernel, world } = parts;
  const { seams } = host;
  const context = { world, process };
  kernel.schedules = watched;
  kernel.restart();
  const store = seams.schedules === undefined ? watched : seams.schedules(watched, context);
  const results = createResultReader({ keyring: fixedKeyring([EXECUTOR_KEY]), ed25519: cheapEd25519 });
  const producer = { gateway: () => gatewayFor(parts, process, results), [Symbol.asyncDispose]: async () => undefined };
  const lane = watch.lane(firingLane(producer, planWaysFor(parts, process), { disconnect: () => undefined }), process);
  const { registry, alarm } = createSchedules({
    store,
    kernel: kernel.kernel,
    lane: seams.lane === undefined ? lane : seams.lane(lane, context),
    clock: process.clock,
    report: (problem) => world.trace.say(world.now, process.name, problem),
  });
  void alarm.start();
  return registry;
}

/** Somebody registers the schedule, and pauses or removes it in the end, when nothing that has come is undecided. */
function operate({ world, open, kernel, kernelProcess }: Parts, schedule: SimSchedule, store: ScheduleStore, registry: () => Registry | undefined): void {
  const { cron, missed, overlap, until, last } = schedule;
  const process = new SimProcess('operator', world.scheduler, { mortal: false });
  const asked = async (ask: (registry: Registry) => unknown, isDone: () => boolean): Promise<void> => {
    while (!isDone()) {
      try {
        const served = kernelProcess.current?.paused ? undefined : registry();
        if (served !== undefined) await ask(served);
      } catch {
        // The kernel has died over it, or its disk is full: asked again.
      }
      await world.wait(process, ASK_MS);
    }
  };
  const isQuiet = (): boolean => store.ripe(Math.floor((process.clock.now() + kernel.skewMs) / MINUTE)).length === 0;
  const work = async (): Promise<void> => {
    await asked(
      (one) => one.add({ ...whatOf(schedule), cron, missed, overlap }, 'operator'),
      () => store.schedule(SCHEDULE) !== undefined,
    );
    await world.wait(process, Math.max(0, until - world.now));
    await asked(
      (one) => (isQuiet() ? one.act(SCHEDULE, last, 'operator') : undefined),
      () => store.schedule(SCHEDULE)?.state !== 'active',
    );
    while (store.open(SCHEDULE) > 0) await world.wait(process, ASK_MS);
    open.producers -= 1;
  };
  open.producers += 1;
  world.scheduler.at(0, process, () => void work());
}
