/**
 * How much of what servers list a host holds. Each list has a limit of its own, and all lists of a host have one together.
 * A list that is read again is counted beside the one that it replaces only until it does.
 */

/** One list of one server. */
export interface ListSlot {
  /** Counts a list that is being read. Until `keep` or `drop`, what was kept before is counted too. */
  begin(): ListReading;
}

export interface ListReading {
  /** Counts this much more. False when that is over a limit: then nothing was counted. */
  add(weight: number): boolean;
  /** How much more there is room for. */
  readonly room: number;
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
  readonly listBytes: number;
  open(): ServerLists;
}

export interface CatalogLimits {
  readonly listBytes: number;
  readonly catalogBytes: number;
}

/** However much others list, each list may have this part of all: no server can take everything from the others. */
const sharePart = 64;

export function createCatalogBudget(limits: () => CatalogLimits): CatalogBudget {
  let held = 0;
  return {
    get heldBytes() {
      return held;
    },
    get listBytes() {
      return limits().listBytes;
    },
    open: () => {
      const slots = new Set<{ release(): void }>();
      const count = (weight: number): void => {
        held += weight;
      };
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

function createSlot({ limits, held, count }: SlotParts): ListSlot & { release(): void } {
  let kept = 0;
  let isOver = false;
  const readings = new Set<{ drop(): void }>();
  const begin = (): ListReading => {
    let weight = 0;
    const replaced = kept;
    const roomInAll = (): number => {
      const { catalogBytes } = limits();
      const share = catalogBytes / sharePart - weight;
      return Math.max(share, catalogBytes - held() + replaced);
    };
    const roomInList = (): number => limits().listBytes - weight;
    const drop = (): void => {
      readings.delete(reading);
      count(-weight);
      weight = 0;
    };
    const reading: ListReading = {
      add: (more) => {
        if (isOver || more > reading.room) return false;
        weight += more;
        count(more);
        return true;
      },
      get room() {
        return Math.max(0, Math.min(roomInList(), roomInAll()));
      },
      get nearest(): ListLimit {
        const { listBytes, catalogBytes } = limits();
        return roomInList() <= roomInAll()
          ? { setting: 'limits.listBytes', bytes: listBytes }
          : { setting: 'limits.catalogBytes', bytes: catalogBytes };
      },
      keep: () => {
        if (isOver) return drop();
        readings.delete(reading);
        count(-kept);
        kept = weight;
        weight = 0;
      },
      drop,
    };
    readings.add(reading);
    return reading;
  };
  return {
    begin,
    release: () => {
      isOver = true;
      for (const reading of [...readings]) reading.drop();
      count(-kept);
      kept = 0;
    },
  };
}
