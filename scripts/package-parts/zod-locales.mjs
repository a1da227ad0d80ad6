/** Replaces the module of zod that loads its messages in every language. */

export { default as en } from 'zod/v4/locales/en.js';
