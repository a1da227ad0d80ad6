/**
 * Records which tools contain each word, and how relevant the word is for them (BM25 over weighted fields).
 */

export interface Field {
  readonly words: readonly string[];
  readonly weight: number;
  readonly isName?: true;
}

export interface Posting {
  /** Indices of tools, ascending. */
  readonly tools: Uint32Array;
  /** How well the word fits each tool, including how rare the word is. */
  readonly scores: Float32Array;
  /** 1 where the word is in the tool's name. */
  readonly inName: Uint8Array;
}

export interface Postings {
  /** Sorted. */
  readonly words: readonly string[];
  readonly lists: readonly Posting[];
}

interface Draft {
  readonly tools: number[];
  readonly counts: number[];
  readonly inName: number[];
  /** The last tool in which the word was found. */
  last: number;
}

/** BM25 parameters: how soon repeating a word stops counting, and how much a long text is penalised. */
const saturation = 1.2;
const lengthShare = 0.6;

export function collectPostings(documents: Iterable<readonly Field[]>): Postings {
  const drafts = new Map<string, Draft>();
  const lengths: number[] = [];
  for (const fields of documents) {
    let length = 0;
    for (const field of fields) {
      addField(drafts, lengths.length, field);
      length += field.words.length * field.weight;
    }
    lengths.push(length);
  }
  const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length) || 1;
  const sorted = [...drafts].toSorted(([left], [right]) => (left < right ? -1 : 1));
  return {
    words: sorted.map(([word]) => word),
    lists: sorted.map(([, draft]) => finish(draft, lengths, average)),
  };
}

function addField(drafts: Map<string, Draft>, tool: number, { words, weight, isName }: Field): void {
  for (const word of words) {
    const draft = drafts.get(word);
    if (draft === undefined) {
      drafts.set(word, { tools: [tool], counts: [weight], inName: [isName ? 1 : 0], last: tool });
    } else if (draft.last !== tool) {
      draft.last = tool;
      draft.tools.push(tool);
      draft.counts.push(weight);
      draft.inName.push(isName ? 1 : 0);
    } else {
      const at = draft.counts.length - 1;
      draft.counts[at] = (draft.counts[at] ?? 0) + weight;
      if (isName) draft.inName[at] = 1;
    }
  }
}

function finish({ tools, counts, inName }: Draft, lengths: readonly number[], average: number): Posting {
  const rarity = Math.log(1 + (lengths.length - tools.length + 0.5) / (tools.length + 0.5));
  const scores = new Float32Array(tools.length);
  for (let at = 0; at < tools.length; at += 1) {
    const count = counts[at] ?? 0;
    const length = (lengths[tools[at] ?? 0] ?? average) / average;
    scores[at] =
      (rarity * count * (saturation + 1)) / (count + saturation * (1 - lengthShare + lengthShare * length));
  }
  // Built from arrays, because iterators are ten times slower here.
  return { tools: new Uint32Array(tools), scores, inName: new Uint8Array(inName) };
}
