const minSlots = 1024;

/**
 * A number for each of many names, such as the ids of a file's lines. Stores 53 bits of a name's
 * hash instead of the name, in a tenth of the memory of a map of strings: among a million names,
 * two have the same bits in one file of 18,000.
 */
export class NameTable {
  /** Open addressing: a name is in the first free slot after the one that its hash says; 0: free. */
  #hashes = new Float64Array(minSlots);
  #numbers = new Int32Array(minSlots);
  #size = 0;

  /** Undefined for a name that was not set. */
  get(name: string): number | undefined {
    const slot = this.#slotOf(hashOf(name));
    return this.#hashes[slot] === 0 ? undefined : this.#numbers[slot];
  }

  has = (name: string): boolean => this.get(name) !== undefined;

  set(name: string, number: number): void {
    if (this.#size * 4 >= this.#hashes.length * 3) this.#grow();
    this.#put(hashOf(name), number);
  }

  #put(hash: number, number: number): void {
    const slot = this.#slotOf(hash);
    if (this.#hashes[slot] === 0) this.#size++;
    this.#hashes[slot] = hash;
    this.#numbers[slot] = number;
  }

  #slotOf(hash: number): number {
    const slots = this.#hashes.length;
    let slot = hash % slots;
    while (this.#hashes[slot] !== 0 && this.#hashes[slot] !== hash) slot = (slot + 1) % slots;
    return slot;
  }

  #grow(): void {
    const [hashes, numbers] = [this.#hashes, this.#numbers];
    // Doubling would leave more of the slots empty.
    const slots = Math.ceil(hashes.length * 1.5);
    this.#hashes = new Float64Array(slots);
    this.#numbers = new Int32Array(slots);
    this.#size = 0;
    hashes.forEach((hash, slot) => {
      if (hash !== 0) this.#put(hash, numbers[slot] ?? 0);
    });
  }
}

/** Seeded, so that no file can contain names that all fall into one slot. */
const seed = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;

/** Never 0. */
const hashOf = (name: string): number =>
  Number(BigInt(Bun.hash(name, seed)) & 0x1f_ffff_ffff_ffffn) || 1;
