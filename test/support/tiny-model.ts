import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Models in ONNX that fit on this page, written by hand as protobuf (onnx.proto): one says a vector for each word, the other
 * adds up a number for each word. With them the mechanics are tested; they know nothing of language.
 */

type Field = readonly [number, Uint8Array | number];

function varint(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest];
    bytes.push((rest % 128) + 128);
  }
}

function message(...fields: readonly Field[]): Uint8Array {
  return Buffer.concat(
    fields.map(([field, value]) =>
      typeof value === 'number'
        ? Buffer.from([...varint(field * 8), ...varint(value)])
        : Buffer.concat([Buffer.from([...varint(field * 8 + 2), ...varint(value.length)]), value]),
    ),
  );
}

const text = (value: string): Uint8Array => Buffer.from(value, 'utf8');
const FLOAT = 1;
const INT64 = 7;

function value(name: string, type: number, dims: readonly (string | number)[]): Uint8Array {
  const shape = message(...dims.map((dim): Field => [1, typeof dim === 'string' ? message([2, text(dim)]) : message([1, dim])]));
  return message([1, text(name)], [2, message([1, message([1, type], [2, shape])])]);
}

function floats(name: string, dims: readonly number[], numbers: readonly number[]): Uint8Array {
  return message(...dims.map((dim): Field => [1, dim]), [2, FLOAT], [8, text(name)], [9, Buffer.from(Float32Array.from(numbers).buffer)]);
}

function node(op: string, inputs: readonly string[], output: string, ...attributes: readonly Uint8Array[]): Uint8Array {
  return message(...inputs.map((name): Field => [1, text(name)]), [2, text(output)], [4, text(op)], ...attributes.map((one): Field => [5, one]));
}

function model(nodes: readonly Uint8Array[], initializers: readonly Uint8Array[], inputs: readonly Uint8Array[], outputs: readonly Uint8Array[]): Uint8Array {
  const each = (field: number, parts: readonly Uint8Array[]): Field[] => parts.map((part) => [field, part]);
  const graph = message(...each(1, nodes), [2, text('tiny')], ...each(5, initializers), ...each(11, inputs), ...each(12, outputs));
  return message([1, 7], [7, graph], [8, message([1, text('')], [2, 11])]);
}

const INPUTS = ['input_ids', 'attention_mask'].map((name) => value(name, INT64, ['batch', 'sequence']));
const SPECIAL = ['[PAD]', '[UNK]', '[CLS]', '[SEP]'];

function tokenizer(words: readonly string[]): string {
  const all = [...SPECIAL, ...words];
  const special = (content: string) => ({
    id: all.indexOf(content),
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  });
  const piece = (id: string, type_id: number) => ({ SpecialToken: { id, type_id } });
  const sequence = (id: 'A' | 'B', type_id: number) => ({ Sequence: { id, type_id } });
  return JSON.stringify({
    version: '1.0',
    added_tokens: SPECIAL.map(special),
    normalizer: { type: 'Lowercase' },
    pre_tokenizer: { type: 'Whitespace' },
    post_processor: {
      type: 'TemplateProcessing',
      single: [piece('[CLS]', 0), sequence('A', 0), piece('[SEP]', 0)],
      pair: [piece('[CLS]', 0), sequence('A', 0), piece('[SEP]', 0), sequence('B', 1), piece('[SEP]', 1)],
      special_tokens: Object.fromEntries(['[CLS]', '[SEP]'].map((id) => [id, { id, ids: [all.indexOf(id)], tokens: [id] }])),
    },
    decoder: null,
    model: { type: 'WordLevel', vocab: Object.fromEntries(all.map((word, id) => [word, id])), unk_token: '[UNK]' },
  });
}

function write(directory: string, words: readonly string[], bytes: Uint8Array): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(path.join(directory, 'tokenizer.json'), tokenizer(words));
  writeFileSync(path.join(directory, 'model.onnx'), bytes);
}

/** A model that answers the vector of each word; words that it does not know, and its own marks, have zeros. */
export function writeEmbedder(directory: string, vectors: Readonly<Record<string, readonly number[]>>): void {
  const words = Object.keys(vectors);
  const dimension = vectors[words[0] ?? '']?.length ?? 0;
  const table = [...SPECIAL.map(() => Array.from({ length: dimension }, () => 0)), ...Object.values(vectors)];
  const nodes = [node('Gather', ['table', 'input_ids'], 'last_hidden_state')];
  const outputs = [value('last_hidden_state', FLOAT, ['batch', 'sequence', dimension])];
  write(directory, words, model(nodes, [floats('table', [table.length, dimension], table.flat())], INPUTS, outputs));
}

/** A model that adds up the number of each word that it reads, of query and text alike. */
export function writeReranker(directory: string, weights: Readonly<Record<string, number>>): void {
  const words = Object.keys(weights);
  const table = [...SPECIAL.map(() => 0), ...Object.values(weights)];
  const nodes = [
    node('Gather', ['table', 'input_ids'], 'weights'),
    node('Cast', ['attention_mask'], 'counts', message([1, text('to')], [3, FLOAT], [20, 2])),
    node('Mul', ['weights', 'counts'], 'counted'),
    node('ReduceSum', ['counted'], 'logits', message([1, text('axes')], [8, 1], [20, 7]), message([1, text('keepdims')], [3, 1], [20, 2])),
  ];
  write(directory, words, model(nodes, [floats('table', [table.length], table)], INPUTS, [value('logits', FLOAT, ['batch', 1])]));
}
