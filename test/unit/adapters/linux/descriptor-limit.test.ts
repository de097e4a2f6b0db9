import { describe, expect, it } from 'vitest';
import { descriptorLimit, parseDescriptorLimit } from '../../../../src/adapters/linux/descriptor-limit.ts';

describe('the limit of open descriptors', () => {
  it('is the soft limit of the line that names it', () => {
    const limits =
      'Limit                     Soft Limit           Hard Limit           Units     \nMax open files            1024                 20000                files     \n';
    expect(parseDescriptorLimit(limits)).toBe(1024);
  });

  it('is unknown where it is unlimited or missing', () => {
    expect(parseDescriptorLimit('Max open files            unlimited            unlimited            files\n')).toBeUndefined();
    expect(parseDescriptorLimit('')).toBeUndefined();
  });

  it('is known of this process', () => {
    expect(descriptorLimit()).toBeGreaterThan(100);
  });
});
