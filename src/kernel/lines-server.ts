import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import { parseStrictJson } from '../core/canonical-json.ts';
import { WritError } from '../core/errors.ts';
import { MAX_JSON_DEPTH } from '../core/i-json.ts';
import { lineCutter } from '../core/line-cutter.ts';
import { LINES, type LineQuestion, type LineReply, type Problem, LineQuestion as Question } from './wire.ts';

export interface LinesOptions {
  /** Characters of a question. */
  readonly maxBytes: number;
  /** Answers a question; what it throws is told as a problem. */
  readonly answer: LineAnswer;
  readonly problemOf: (error: unknown) => Problem;
}

export type LineAnswer = (question: Omit<LineQuestion, 'id'>) => Promise<object>;

/** The lines of one server. */
export interface Lines {
  /** Ends the connections: at once where nothing is asked, else with the last answer. */
  end(): void;
}

/** Questions of one connection that are answered at a time: twice as many as a worker may have plans under way. */
export const MAX_ASKED = 2048;
/** Levels of a question around its body. */
const QUESTION_LEVELS = 4;

/**
 * Lets a connection of an HTTP server go on in lines (`Upgrade`, RFC 9110 7.8), where each question and each answer is a line of JSON
 * with a number: a step of a plan asks once, and HTTP costs more than the answer. Who does not know it goes on with HTTP.
 */
export function offerLines(server: Server, { maxBytes, answer, problemOf }: LinesOptions): Lines {
  const open = new Set<{ readonly endSoon: () => void }>();
  let ending = false;

  function serve(socket: Socket): void {
    const cut = lineCutter(maxBytes);
    // A socket of an HTTP server takes no encoding.
    const decoder = new StringDecoder('utf8');
    let asked = 0;
    /** Characters of what is asked: together no more than one question may have. */
    let held = 0;
    const connection = { endSoon: () => asked === 0 && socket.destroy() };
    const write = (line: LineReply): void => {
      // Whoever asks and does not read is read no more.
      if (!socket.write(`${JSON.stringify(line)}\n`)) socket.pause();
    };
    const reply = (line: LineReply, length: number): void => {
      asked -= 1;
      held -= length;
      write(line);
      if (ending && asked === 0) socket.end();
    };
    open.add(connection);
    socket.setTimeout(0);
    socket.on('data', (piece: Buffer) => {
      for (const line of cut(decoder.write(piece)) ?? ['']) {
        const question = read(line, maxBytes);
        if (question === undefined) return void socket.destroy();
        const { id, ...rest } = question;
        if (asked >= MAX_ASKED || held + line.length > maxBytes) {
          write({ id, problem: problemOf(new WritError('KERNEL_UNAVAILABLE', `the kernel answers ${asked} questions of this connection already`)) });
          continue;
        }
        asked += 1;
        held += line.length;
        answer(rest).then(
          (told) => reply({ id, answer: told }, line.length),
          (error: unknown) => reply({ id, problem: problemOf(error) }, line.length),
        );
      }
    });
    socket.on('drain', () => socket.resume());
    socket.on('close', () => open.delete(connection));
    // Whoever asks may go at any moment.
    socket.on('error', () => undefined);
  }

  server.on('upgrade', ({ headers }, duplex, head) => {
    const socket = duplex as Socket;
    if (headers.upgrade !== LINES || head.length > 0 || ending) return void socket.destroy();
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${LINES}\r\n\r\n`);
    serve(socket);
  });

  return {
    end() {
      ending = true;
      for (const { endSoon } of open) endSoon();
    },
  };
}

/** Two equal keys are refused, as in every body. What is no question of ours has no number that could be answered. */
function read(line: string, maxBytes: number): LineQuestion | undefined {
  try {
    return Question.parse(parseStrictJson(line, { maxBytes, maxDepth: MAX_JSON_DEPTH + QUESTION_LEVELS }));
  } catch {
    return undefined;
  }
}
