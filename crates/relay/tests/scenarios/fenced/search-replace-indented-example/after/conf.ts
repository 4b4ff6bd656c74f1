export default {
  port: 8080,
  host: 'x',
};
