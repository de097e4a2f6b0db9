import koffi from 'koffi';

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const SOCK_CLOEXEC = 0o2000000;
/** Microseconds in a millisecond, and pings in a period: systemd advises half of it, a late one is then no missing one. */
const US_PER_MS = 1000;
const PINGS = 2;

/** A service manager that speaks sd_notify(3). Where there is none, nothing is said. */
export interface ServiceManager {
  /** Ready: what depends on this service may start. From here on the watchdog is told that the event loop turns. */
  ready(): void;
  stopping(): void;
}

/**
 * Reads `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID`, which systemd sets for services with `Type=notify`.
 *
 * @param variable the value of an environment variable
 */
export function openServiceManager(variable: (name: string) => string | undefined): ServiceManager {
  const address = variable('NOTIFY_SOCKET') ?? '';
  if (process.platform !== 'linux' || !/^[/@]./.test(address)) return { ready: () => undefined, stopping: () => undefined };
  const say = (text: string): void => sendDatagram(address, text);
  const watchdogMs = Number(variable('WATCHDOG_USEC') ?? 0) / US_PER_MS;
  const isOurs = (variable('WATCHDOG_PID') ?? String(process.pid)) === String(process.pid);
  return {
    ready() {
      say('READY=1');
      if (watchdogMs > 0 && isOurs) setInterval(() => say('WATCHDOG=1'), watchdogMs / PINGS).unref();
    },
    stopping: () => say('STOPPING=1'),
  };
}

/** Sends one datagram and forgets about it: a manager that is gone or busy is no trouble of this process. `@` begins an abstract name. */
function sendDatagram(address: string, text: string): void {
  const library = koffi.load(null);
  const socket: (domain: number, type: number, protocol: number) => number = library.func('int socket(int domain, int type, int protocol)');
  const sendto: (fd: number, data: Buffer, size: number, flags: number, to: Buffer, toSize: number) => number = library.func(
    'long sendto(int fd, const void *data, size_t size, int flags, const void *to, uint32_t toSize)',
  );
  const close: (fd: number) => number = library.func('int close(int fd)');
  const fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return;
  const name = Buffer.from(address.replace(/^@/, '\0'));
  const to = Buffer.concat([Buffer.from([AF_UNIX, 0]), name]);
  const data = Buffer.from(text);
  sendto(fd, data, data.length, 0x40 /* MSG_DONTWAIT */, to, to.length);
  close(fd);
}
