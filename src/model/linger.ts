/**
 * How long the end of a stream is waited for after the answer is complete, in milliseconds. It comes
 * with it or a moment later; a connection that is closed before cannot serve the next call.
 */
export const lingerMs = 100;
