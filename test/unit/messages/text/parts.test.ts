import { describe, expect, it } from 'vitest';
import { attachmentTexts, bodyPartsOf, partsOf } from '../../../../src/messages/text/parts.ts';
import { pairsAsked } from '../../../../src/messages/text/scripts.ts';

describe('the parts of a text', () => {
  it.each([
    ['createMessageSearch', 'create Message Search'],
    ['HTTPServer utf8mb4 sha256', 'HTTP Server utf 8 mb 4 sha 256'],
    ['createIt and createIt', 'create It'],
    ['plain words, POL-358, snake_case, src/a.ts', ''],
    ['部署完成', '部署 署完 完成 成'],
    ['PDF部署v2', 'PDF 部署 署 v 2'],
    ['배포를 했다', '배포 포를 를 했다 다'],
    ['ข้อความ', 'ขอ อค คว วา าม ม'],
    [`${'aB'.repeat(12)} ${'3f'.repeat(20)} ${'aB'.repeat(60)}`, ''],
  ])('of %s are %s', (text, parts) => {
    expect(partsOf(text)).toBe(parts);
  });

  it('are asked for as a sequence of pairs, and as the beginning of one where there is one letter alone', () => {
    expect(pairsAsked('部署完')).toEqual({ pairs: ['部署', '署完'], isBeginning: false });
    expect(pairsAsked('部')).toEqual({ pairs: ['部'], isBeginning: true });
    expect(pairsAsked('ก็')).toEqual({ pairs: ['ก'], isBeginning: true });
  });

  it('of a body include names and texts of attachments', () => {
    const attachments = JSON.stringify([{ filename: 'quarterReport.pdf', size: 3 }, { name: 'notes.txt', text: 'hidden plan' }, 'no object', null]);
    expect(bodyPartsOf('see runIt', attachments)).toBe('run It\nquarterReport.pdf\nnotes.txt\nhidden plan\nquarter Report');
  });

  it.each(['', '[]', '{"name":"x"}', 'no JSON', '[1,null]'])('are none where the attachments are %j', (attachments) => {
    expect(attachmentTexts(attachments)).toBe('');
  });
});
