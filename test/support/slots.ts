import { hashTagOf } from '../../src/adapters/redis/redis-connection.ts';

const SLOTS = 16_384;
const POLYNOMIAL = 0x1021;

/** The cluster slot of a key: CRC16 (XMODEM) of its hash tag. */
export function slotOf(key: string): number {
  let crc = 0;
  for (const byte of Buffer.from(hashTagOf(key))) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x8000) === 0 ? (crc << 1) & 0xffff : ((crc << 1) ^ POLYNOMIAL) & 0xffff;
  }
  return crc % SLOTS;
}
