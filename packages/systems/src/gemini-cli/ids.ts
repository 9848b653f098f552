/** Ids of the messages now, in their order: a rewind only ever drops the end of the list. */
export class MessageIds {
  #list: string[] = [];
  /** Made when it is asked for: most copies never are. */
  #places: Map<string, number> | undefined;

  get length(): number {
    return this.#list.length;
  }

  get list(): readonly string[] {
    return this.#list;
  }

  copy(): MessageIds {
    const copy = new MessageIds();
    copy.#list = [...this.#list];
    return copy;
  }

  placeOf(id: string): number | undefined {
    return this.#index().get(id);
  }

  /** Its place: an id that is there keeps the one it has. @example ids.add('m1') // 0 */
  add(id: string): number {
    const known = this.placeOf(id);
    if (known !== undefined) return known;
    this.#index().set(id, this.#list.length);
    return this.#list.push(id) - 1;
  }

  cut(length: number): void {
    for (const id of this.#list.splice(length)) this.#places?.delete(id);
  }

  #index(): Map<string, number> {
    return (this.#places ??= new Map(this.#list.map((id, place) => [id, place])));
  }
}
