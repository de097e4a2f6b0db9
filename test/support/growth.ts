/** How many times the larger of two pieces of work is the smaller one. */
const TIMES = 8;
/** Between 8 and 64, and between 64 and 512. */
const ROOM = 4;
const SAMPLES = 50;

/**
 * Whether work of the size costs about 8 times what work of an eighth costs, and not 64 times. The least of several
 * runs of each is compared, in time of the processor.
 *
 * @param work works on so much, synchronously
 * @param power 2: whether it grows with the square of the size, and not with its cube
 */
export function growsInProportion(work: (size: number) => void, size: number, power: 1 | 2 = 1): boolean {
  let [small, large] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const eight = workOf(() => {
      for (let run = 0; run < TIMES; run += 1) work(Math.floor(size / TIMES));
    });
    small = Math.min(small, eight / TIMES);
    large = Math.min(
      large,
      workOf(() => work(size)),
    );
    // The first runs are not compiled yet.
    if (sample > 0 && large < ROOM * TIMES ** power * small) return true;
  }
  return false;
}

/** The same for work on texts, which are made beforehand, of many such pieces. */
export function readsInProportion(work: (text: string) => void, piece: string, size: number): boolean {
  const texts = new Map([Math.floor(size / TIMES), size].map((length) => [length, piece.repeat(length / piece.length)]));
  return growsInProportion((length) => work(texts.get(length) ?? ''), size);
}

/** Time of the processor, of which other processes take nothing; microseconds. */
function workOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return Math.max(1, user + system);
}
