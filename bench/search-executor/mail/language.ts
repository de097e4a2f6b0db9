import type { Random } from '../../../test/support/random.ts';
import type { CharsetName } from './charset-bytes.ts';
import type { Transfer } from './transfer.ts';

/** How the plain text of a message is written. */
export interface Writing {
  readonly charset: CharsetName;
  readonly transfer: Transfer;
}

export interface Language {
  readonly share: number;
  readonly names: readonly string[];
  readonly words: readonly string[];
  readonly writings: readonly Writing[];
}

const writing = (charset: CharsetName, transfer: Transfer): Writing => ({ charset, transfer });
const list = (text: string): readonly string[] => text.split(' ');

/** Languages of the generated mail. Each charset has the characters of its language. */
export const LANGUAGES: readonly Language[] = [
  {
    share: 0.5,
    names: list('Alice Bob Carol David Eve Frank Grace Henry'),
    words: list(
      'the order has been shipped and will arrive next week please find attached our offer we look forward to your reply about the meeting on budget',
    ),
    writings: [writing('us-ascii', '7bit'), writing('utf-8', '8bit'), writing('utf-8', 'quoted-printable'), writing('us-ascii', '7bit')],
  },
  {
    share: 0.2,
    names: list('Jürgen Dörte Götz Änne Karl Heike'),
    words: list(
      'die Lieferung für übermorgen wurde bestätigt bitte prüfen Sie größere Mengen der Rechnung grüßt Straße Käufer und Gebühr möglich nächste Woche',
    ),
    writings: [
      writing('iso-8859-1', 'quoted-printable'),
      writing('windows-1252', '8bit'),
      writing('utf-8', 'quoted-printable'),
      writing('utf-8', 'base64'),
      writing('utf-8', '8bit'),
    ],
  },
  {
    share: 0.1,
    names: list('Chloé Hélène François Zoë'),
    words: list('veuillez trouver la pièce jointe à votre commande dès réception nous sommes très heureux de façon générale été reçu'),
    writings: [writing('iso-8859-1', 'quoted-printable'), writing('utf-8', '8bit'), writing('utf-8', 'quoted-printable')],
  },
  {
    share: 0.05,
    names: list('Łucja Żaneta Świętosława Paweł'),
    words: list('proszę o potwierdzenie zamówienia że przesyłka została wysłana dziś źródło więcej pieniędzy ćwiczenie łąka'),
    writings: [writing('iso-8859-2', 'quoted-printable'), writing('utf-8', 'base64'), writing('utf-8', '8bit')],
  },
  {
    share: 0.1,
    names: list('Иван Ольга Пётр Мария'),
    words: list('заказ отправлен и будет доставлен на следующей неделе пожалуйста проверьте счёт за услуги ваша накладная во вложении'),
    writings: [writing('koi8-r', 'base64'), writing('koi8-r', '8bit'), writing('utf-8', 'base64'), writing('utf-8', '8bit')],
  },
  {
    share: 0.05,
    names: list('田中 佐藤 鈴木'),
    words: list('ご注文 ありがとう ございます 来週 発送 いたします 請求書 添付 ファイル 確認 お願い'),
    writings: [writing('shift_jis', 'base64'), writing('utf-8', 'base64'), writing('utf-8', '8bit')],
  },
];

/** A language by its share of the mail. */
export function pickLanguage(random: Random): Language {
  let rest = random.number();
  const found = LANGUAGES.find(({ share }) => {
    rest -= share;
    return rest < 0;
  });
  return found ?? random.pick(LANGUAGES);
}

const COLUMNS = 72;

/** Words in lines, ending with a line break; a planted word comes somewhere between them. No line begins with `From `. */
export function proseOf(language: Language, count: number, random: Random, planted?: string): string {
  const at = planted === undefined ? -1 : random.integer(count);
  let text = '';
  let width = 0;
  for (let n = 0; n < count; n += 1) {
    const word = `${random.pick(language.words)}${n === at ? ` ${planted}` : ''}`;
    const ends = width + word.length > COLUMNS || random.number() < 0.01;
    text += ends ? `${word}.\n` : `${word} `;
    width = ends ? 0 : width + word.length + 1;
  }
  return `${text}\n`;
}
