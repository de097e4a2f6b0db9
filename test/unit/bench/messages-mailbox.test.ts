import { describe, expect, it } from 'vitest';
import { BODIES, SUBJECTS, WORDS } from '../../../bench/messages/language.ts';
import { CLASSES, mailbox } from '../../../bench/messages/mailbox.ts';

const COUNT = 5000;
const messages = [...mailbox(COUNT)];

describe('the generated mailboxes of the bench', () => {
  it('are the same for the same seed and count', () => {
    expect([...mailbox(50)]).toEqual(messages.slice(0, 50));
    expect([...mailbox(50, 8)]).not.toEqual(messages.slice(0, 50));
  });

  it('hold the words of each query class in as many messages as the class says', () => {
    for (const [word, share] of Object.values(CLASSES).flatMap((words) => Object.entries(words))) {
      const found = messages.filter(({ subject, body_md }) => `${subject} ${body_md}`.includes(word)).length / COUNT;
      expect(Math.abs(found - share), word).toBeLessThan(0.005 + share * 0.1);
    }
  });

  it('use the words of the classes nowhere else', () => {
    const language = [...SUBJECTS, ...BODIES, ...WORDS].join(' ').toLowerCase();
    const words = Object.values(CLASSES).flatMap((one) => Object.keys(one));
    expect(words.filter((word) => language.includes(word))).toEqual([]);
  });
});
