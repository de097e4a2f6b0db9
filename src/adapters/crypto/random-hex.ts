import { randomUUID } from 'node:crypto';

/** 128 random bits in hexadecimal, for the id of a job. */
export function randomHex(): string {
  return randomUUID().replaceAll('-', '');
}
