import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that wait long or start many processes. At the end one of them would run alone. */
const LONG = ['test/chaos/', 'test/e2e/', 'test/integration/cluster/', 'test/integration/plan/'];

/** Order of the test files: the long ones first, then as vitest has it (the largest first, or what took longest last time). */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => LONG.some((folder) => moduleId.includes(`/${folder}`));
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
