export const port = 8080;
export const host = 'localhost';
