/**
 * What is used of the YAML library. It is imported by way of this file, and only when a YAML file is read: a bundle
 * keeps the names of a CommonJS package in a static import, and loses them in a dynamic one.
 */
export { Document, isMap, isNode, isScalar, isSeq, parseDocument } from 'yaml';
