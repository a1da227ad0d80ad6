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
  const total = { bytes: 0 };
  return {
    get heldBytes() {
      return total.bytes;
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
          const slot = createSlot(limits, total);
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

/** `total` is the weight of all lists. */
function createSlot(limits: () => CatalogLimits, total: { bytes: number }): ListSlot & { release(): void } {
  const readings = new Set<{ weight: number }>();
  let kept = 0;
  let counted = 0;
  let isReleased = false;
  const recount = (): void => {
    let now = isReleased ? 0 : kept;
    if (!isReleased) for (const { weight } of readings) now = Math.max(now, weight);
    total.bytes += now - counted;
    counted = now;
  };
  const begin = (): ListReading => {
    const reading = { weight: 0 };
    const room = (): { readonly inList: number; readonly inAll: number } => {
      const { listBytes, catalogBytes } = limits();
      const { weight } = reading;
      const own = Math.max(0, counted - weight);
      const inAll = Math.max(catalogBytes / sharePart - weight, catalogBytes - total.bytes + own);
      return { inList: listBytes - weight, inAll };
    };
    const finish = (): void => {
      readings.delete(reading);
      recount();
    };
    readings.add(reading);
    return {
      add: (more) => {
        const { inList, inAll } = room();
        if (isReleased || more > Math.min(inList, inAll)) return false;
        reading.weight += more;
        recount();
        return true;
      },
      get nearest(): ListLimit {
        const { listBytes, catalogBytes } = limits();
        const { inList, inAll } = room();
        return inList <= inAll
          ? { setting: 'limits.listBytes', bytes: listBytes }
          : { setting: 'limits.catalogBytes', bytes: catalogBytes };
      },
      keep: () => {
        kept = reading.weight;
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
