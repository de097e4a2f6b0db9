import type { Mutant } from './mutant.ts';

/** Bytes of texts for which an outbox that is small has room. */
const FULL_BYTES = 700;

/** What the API does with notices. */
export const WEBHOOK_MUTANTS: readonly Mutant[] = [
  {
    name: 'the place in the events is written before the notices',
    seams: {
      outbox: (outbox) => ({
        ...outbox,
        async add(notices, place, now) {
          await outbox.add([], place, now);
          return outbox.add(notices, place, now);
        },
      }),
    },
  },
  {
    name: 'a notice is delivered when it was sent',
    seams: {
      attempt: (attempt) => async (notice, signal) => {
        const end = await attempt(notice, signal);
        return end.kind === 'failed' && end.problem.includes('connection') ? { kind: 'taken' } : end;
      },
    },
  },
  {
    name: 'each attempt of a notice has an id of its own',
    seams: {
      attempt: (attempt) => (notice, signal) => attempt({ ...notice, id: notice.attempts === 0 ? notice.id : `${notice.id}-${notice.attempts}` }, signal),
    },
  },
  {
    name: 'a receiver that fails once gets no notice again',
    seams: {
      attempt: (attempt) => async (notice, signal) => {
        const end = await attempt(notice, signal);
        return end.kind === 'failed' ? { kind: 'gone' } : end;
      },
    },
  },
  {
    name: 'a notice for which there is no room leaves no row',
    seams: {
      outbox: (outbox) => ({
        ...outbox,
        async add(notices, place, now) {
          const held = (await outbox.counts()).filter(({ state }) => state === 'pending');
          const fits = notices.filter(({ endpoint, body }) => (held.find((one) => one.endpoint === endpoint)?.bytes ?? 0) + body.length < FULL_BYTES);
          return outbox.add(fits, place, now);
        },
      }),
    },
  },
  {
    name: 'the look back after lost events begins now',
    seams: {
      outbox: (outbox, { process }) => ({
        ...outbox,
        async place() {
          const place = await outbox.place();
          return place?.event === undefined ? place && { ...place, seenAt: process.clock.now() } : place;
        },
      }),
    },
  },
  {
    name: 'events of the plan queue that are lost are not missed',
    seams: {
      planEnds: (ends) => ({
        ...ends,
        async after(place, signal) {
          const look = await ends.after(place, signal);
          return look === 'lost' ? { ...(await ends.here()), ended: [] } : look;
        },
      }),
    },
  },
  {
    name: 'a look back at plans asks Redis alone',
    seams: {
      planEnds: (ends) => ({
        ...ends,
        async *since(at) {
          for await (const some of ends.since(at)) {
            yield some;
            return;
          }
        },
      }),
    },
  },
  {
    name: 'a wish is acknowledged before it is on disk',
    seams: {
      outbox: (outbox) => ({
        ...outbox,
        want: async (...wish) => void outbox.want(...wish).catch(() => undefined),
      }),
    },
  },
  {
    name: 'the text of a notice is made again with the time of now',
    seams: {
      attempt:
        (attempt, { process }) =>
        (notice, signal) =>
          attempt({ ...notice, body: notice.body.replace(/"timestamp":"[^"]*"/, `"timestamp":"${new Date(process.clock.now()).toISOString()}"`) }, signal),
    },
  },
  {
    name: 'who pushes what is done is not told of it',
    seams: {
      outbox: (outbox) => ({
        ...outbox,
        add: async (notices, place, now) => (place === undefined ? { added: 0, dropped: 0 } : outbox.add(notices, place, now)),
      }),
    },
  },
  {
    name: 'an end that Redis has forgotten is looked at once',
    seams: {
      outcome: (outcome) => async (ended) => {
        const found = await outcome(ended);
        return found === 'forgotten' ? undefined : found;
      },
    },
  },
];
