import koffi from 'koffi';

const AF_INET = 2;
const SOCK_DGRAM = 2;
const SIOCSIFFLAGS = 0x8914;
const IFF_UP = 1;
/** struct ifreq: 16 bytes of name, then the flags. */
const IFREQ_BYTES = 40;

/** Brings `lo` up in a new network namespace, where it is down. */
export function raiseLoopback(): void {
  const library = koffi.load(null);
  const socket: (domain: number, type: number, protocol: number) => number = library.func('int socket(int domain, int type, int protocol)');
  const ioctl: (fd: number, request: number, argument: Buffer) => number = library.func('int ioctl(int fd, unsigned long request, void *argument)');
  const request = Buffer.alloc(IFREQ_BYTES);
  request.write('lo');
  request.writeUInt16LE(IFF_UP, 16);
  if (ioctl(socket(AF_INET, SOCK_DGRAM, 0), SIOCSIFFLAGS, request) !== 0) throw new Error(`lo does not come up: errno ${koffi.errno()}`);
}
