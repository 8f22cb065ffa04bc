/**
 * Thinking blocks are signed, and tied to what came before them. A signature holds the model, the
 * content before the block (without thinking), and the thinking block before it; nobody but the
 * fake can make one.
 */

import { invalid } from "./refusal.ts";
import { chain, hash, isThinkingPiece, type Piece } from "./pieces.ts";
import { z } from "zod";

/** A position in a conversation, which the next thinking block will be tied to. */
export type Standing = { prefix: bigint; previous: string | null };

const sealed = z.object({
  model: z.string(),
  prefix: z.string(),
  previous: z.string().nullable(),
  id: z.string(),
});

export type Transformation = {
  type: "thinking_dropped";
  path: string;
  reason: "prefix_binding_mismatch" | "model_binding_mismatch";
};

export type Checked = {
  /** The pieces that the model reads. */
  pieces: Piece[];
  standing: Standing;
  transformations: Transformation[];
};

export class Seals {
  readonly #key = "the fake's own key";
  #count = 0;

  /** Signs a block with this text, made by `model` at this position of the conversation. */
  sign(text: string, model: string, { prefix, previous }: Standing): { seal: string; id: string } {
    this.#count += 1;
    const id = `th${this.#count}`;
    const payload = Buffer.from(
      JSON.stringify({ model, prefix: String(prefix), previous, id }),
    ).toString("base64url");
    return { seal: `${payload}.${this.#mac(payload, text)}`, id };
  }

  /** The contents of a signature, or null when it is not ours or not for this text. */
  open(seal: string, text: string): z.infer<typeof sealed> | null {
    const [payload = "", mac] = seal.split(".");
    if (mac !== this.#mac(payload, text)) return null;
    return sealed.parse(JSON.parse(Buffer.from(payload, "base64url").toString()));
  }

  #mac(payload: string, text: string): string {
    const hasher = new Bun.CryptoHasher("sha256", this.#key);
    return hasher.update(payload).update("\n").update(text).digest("base64url").slice(0, 24);
  }

  /**
   * Walks the pieces. `mismatch`: what happens to a block whose context has changed; "ignore" is a
   * model that does not bind thinking.
   */
  check(pieces: readonly Piece[], model: string, mismatch: "error" | "drop" | "ignore"): Checked {
    const kept: Piece[] = [];
    const transformations: Transformation[] = [];
    let standing: Standing = { prefix: 1n, previous: null };
    let message = -1;
    for (const piece of pieces) {
      // Text at the end of a user message is bound there, not as a separate message.
      if (piece.part === "user" && piece.message !== message)
        standing = { ...standing, prefix: hash("message", standing.prefix) };
      ({ message } = piece);
      if (piece.block?.type === "compaction") {
        standing = this.#resume(piece);
        kept.push(piece);
      } else if (!isThinkingPiece(piece)) {
        standing = { ...standing, prefix: chain(standing.prefix, piece) };
        kept.push(piece);
      } else {
        const { path } = piece;
        const held = this.#held(piece);
        const isSame =
          held.prefix === String(standing.prefix) &&
          // The first remaining block may have lost those before it, but none may be missing in
          // between.
          (standing.previous === null || held.previous === standing.previous);
        if (held.model !== model && mismatch !== "ignore") {
          const reason = "model_binding_mismatch";
          transformations.push({ type: "thinking_dropped", path, reason });
          continue;
        }
        if (!isSame && mismatch !== "ignore") {
          const reason = "prefix_binding_mismatch";
          if (mismatch === "error") throw bound(piece);
          transformations.push({ type: "thinking_dropped", path, reason });
          continue;
        }
        standing = { ...standing, previous: held.id };
        kept.push(piece);
      }
    }
    return { pieces: kept, standing, transformations };
  }

  #held({ block, path }: Piece): z.infer<typeof sealed> {
    const held =
      block?.type === "thinking"
        ? this.open(block.signature, block.thinking)
        : block?.type === "redacted_thinking"
          ? this.open(block.data, "")
          : null;
    if (held === null) throw invalid(`${path}: Invalid \`signature\` in \`${block?.type}\` block`);
    return held;
  }

  /** The server's own summary has the position of what it replaces. */
  #resume({ block, path }: Piece): Standing {
    if (block?.type !== "compaction") throw new Error("not a compaction block");
    // A failed compaction replaces nothing.
    if (block.content == null) return { prefix: 1n, previous: null };
    if (block.signature == null) return { prefix: hash(block.content, 2n), previous: null };
    const held = this.open(block.signature, block.content);
    if (held === null)
      throw invalid(
        `${path}: Invalid \`signature\` in \`compaction\` block`,
        "compaction_signature_invalid",
      );
    return { prefix: BigInt(held.prefix), previous: held.previous };
  }
}

const bound = ({ path, block }: Piece) =>
  invalid(
    `${path}: Invalid \`signature\` in \`${block?.type}\` block. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block".`,
  );
