/**
 * How much of what servers list a host holds. Each list has a limit of its own, and all lists of a host have one together.
 * While a list is read again, the larger of the old and the new one counts: the same list must not be cut because it is
 * there twice for a moment.
 */

/** One list of one server. */
export interface ListSlot {
  /** Counts a list that is being read, until `keep` or `drop`. */
  begin(): ListReading;
}

export interface ListReading {
  /** Counts this much more. False when that is over a limit: then nothing was counted. */
  add(weight: number): boolean;
  /** Which limit is nearer. */
  readonly nearest: ListLimit;
  /** The list counts from now on, in place of the one before. */
  keep(): void;
  /** The list is not used. */
  drop(): void;
}

export interface ListLimit {
  readonly setting: 'limits.listBytes' | 'limits.catalogBytes';
  readonly bytes: number;
}

/** All lists of one connection. */
export interface ServerLists {
  slot(): ListSlot;
  /** Nothing of it is held any more. */
  close(): void;
}

export interface CatalogBudget {
  readonly heldBytes: number;
  /** The limit of one list of this server. */
  listBytesOf(server: string): number;
  open(server: string): ServerLists;
}

export interface CatalogLimits {
  readonly listBytes: number;
  readonly catalogBytes: number;
}

/** However much others list, each list may have this part of all: no server can take everything from the others. */
const sharePart = 64;

/** A project may lower the limit of one list for its own servers; the limit of all lists is the host's. */
export function createCatalogBudget(limitsOf: (server: string | undefined) => CatalogLimits): CatalogBudget {
  let held = 0;
  const count = (weight: number): void => {
    held += weight;
  };
  return {
    get heldBytes() {
      return held;
    },
    listBytesOf: (server) => limitsOf(server).listBytes,
    open: (server) => {
      const limits = (): CatalogLimits => ({
        listBytes: limitsOf(server).listBytes,
        catalogBytes: limitsOf(undefined).catalogBytes,
      });
      const slots = new Set<{ release(): void }>();
      return {
        slot: () => {
          const slot = createSlot({ limits, held: () => held, count });
          slots.add(slot);
          return slot;
        },
        close: () => {
          for (const slot of slots) slot.release();
          slots.clear();
        },
      };
    },
  };
}

interface SlotParts {
  readonly limits: () => CatalogLimits;
  /** Of all lists. */
  readonly held: () => number;
  readonly count: (weight: number) => void;
}

function createSlot(parts: SlotParts): ListSlot & { release(): void } {
  const weights = new Map<object, number>();
  let kept = 0;
  let counted = 0;
  let isReleased = false;
  const recount = (): void => {
    const now = isReleased ? 0 : Math.max(kept, ...weights.values());
    parts.count(now - counted);
    counted = now;
  };
  const begin = (): ListReading => {
    const key = {};
    const weight = (): number => weights.get(key) ?? 0;
    const roomInList = (): number => parts.limits().listBytes - weight();
    const roomInAll = (): number => {
      const { catalogBytes } = parts.limits();
      const own = Math.max(0, counted - weight());
      return Math.max(catalogBytes / sharePart - weight(), catalogBytes - parts.held() + own);
    };
    const finish = (): void => {
      weights.delete(key);
      recount();
    };
    weights.set(key, 0);
    return {
      add: (more) => {
        if (isReleased || more > Math.min(roomInList(), roomInAll())) return false;
        weights.set(key, weight() + more);
        recount();
        return true;
      },
      get nearest(): ListLimit {
        const { listBytes, catalogBytes } = parts.limits();
        return roomInList() <= roomInAll()
          ? { setting: 'limits.listBytes', bytes: listBytes }
          : { setting: 'limits.catalogBytes', bytes: catalogBytes };
      },
      keep: () => {
        kept = weight();
        finish();
      },
      drop: finish,
    };
  };
  return {
    begin,
    release: () => {
      isReleased = true;
      recount();
    },
  };
}
