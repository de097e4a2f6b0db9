/** Cuts what comes into lines. `undefined`: a line is longer than `max` characters. */
export function lineCutter(max: number): (piece: string) => readonly string[] | undefined {
  const rest: string[] = [];
  let length = 0;
  return (piece) => {
    const pieces = piece.split('\n');
    const last = pieces.pop() ?? '';
    const first = pieces[0];
    if (first !== undefined) {
      pieces[0] = rest.join('') + first;
      rest.length = 0;
      length = 0;
    }
    rest.push(last);
    length += last.length;
    return length > max ? undefined : pieces;
  };
}
