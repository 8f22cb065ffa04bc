/**
 * How long to wait for the end of a stream after the answer is complete, in milliseconds. It
 * arrives with the answer or a moment later; a connection that is closed earlier cannot be used for
 * the next call.
 */
export const lingerMs = 100;
