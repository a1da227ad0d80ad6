/** The SDK's client, to be loaded late: an import of the whole package would take along everything that nobody uses. */

export { Client } from '@modelcontextprotocol/client';
