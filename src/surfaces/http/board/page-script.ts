/**
 * What Bull Board's page leaves unsaid: names of buttons that are an icon only, and how many jobs "Retry all" is about. Icons
 * are known by their class names. A script of this server's own, since the policy of the page allows no other.
 */
export const BOARD_SCRIPT = `
const TITLES = {
  maximize: 'Full screen', 'maximize-2': 'Full screen',
  'minimize-2': 'Leave full screen', settings: 'Settings', 'circle-user': 'Links: console, API, metrics', 'ellipsis-vertical': 'Actions on this queue',
  'refresh-cw': 'Retry', 'arrow-up-down': 'Sort', copy: 'Copy', x: 'Close',
};
const failed = () => /^[0-9]+$/.exec(document.querySelector('a[href*="status=failed"] [class*="badge-"]')?.textContent ?? '')?.[0];
function name(button) {
  if (button.title !== '' || button.textContent.trim() !== '') return;
  const icon = Object.keys(TITLES).find((one) => button.querySelector('.lucide-' + one) !== null);
  if (icon === undefined) return;
  button.title = TITLES[icon];
  if (!button.hasAttribute('aria-label')) button.setAttribute('aria-label', TITLES[icon]);
}
function count(text, n) {
  const words = text.data.replace(/^Retry all( [0-9]+)?$/, 'Retry all ' + n).replace(/retry all ([0-9]+ )?failed jobs/, 'retry all ' + n + ' failed jobs');
  if (words !== text.data) text.data = words;
}
function look() {
  for (const button of document.querySelectorAll('button, [role="button"]')) name(button);
  const n = failed();
  if (n === undefined) return;
  for (const place of document.querySelectorAll('main button, [role="dialog"], [role="alertdialog"]')) {
    const texts = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) count(texts.currentNode, n);
  }
}
new MutationObserver(look).observe(document.documentElement, { childList: true, subtree: true, characterData: true });
look();
`;
