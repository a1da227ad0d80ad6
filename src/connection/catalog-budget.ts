/**
 * Limits the size of the lists that a host stores: each list has a limit, and all lists of a host share one.
 * While a list is read again, the larger of the old and the new one counts, so that an unchanged list is not
 * cut because both copies exist for a moment.
 */

/** One list of one server. */
export interface ListSlot {
  /** Starts to count a list that is being read. End it with `keep` or `drop`. */
  begin(): ListReading;
}

export interface ListReading {
  /** Counts `weight` more. Returns false, and counts nothing, if that would exceed a limit. */
  add(weight: number): boolean;
  /** The limit with the least space left. */
  readonly nearest: ListLimit;
  /** Counts this list from now on, in place of the previous one. */
  keep(): void;
  /** Discards this list. The previous one still counts. */
  drop(): void;
}

export interface ListLimit {
  readonly setting: 'limits.listBytes' | 'limits.catalogBytes';
  readonly bytes: number;
}

/** All lists of one connection. */
export interface ServerLists {
  slot(): ListSlot;
  /** Releases everything that the connection's lists count. */
  close(): void;
}

export interface CatalogBudget {
  readonly heldBytes: number;
  /** The limit for each list of this server. */
  listBytesOf(server: string): number;
  open(server: string): ServerLists;
}

export interface CatalogLimits {
  readonly listBytes: number;
  readonly catalogBytes: number;
}

/** Each list may always use this fraction of the total, so that one server cannot take all of it. */
const sharePart = 64;

/** A project may lower the limit per list for its own servers. The total limit belongs to the host. */
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
  /** The weight of all lists. */
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
