// Package validator stands in for gopkg.in/validator.v2 where no module proxy can be reached.
package validator

// Validate accepts every value.
func Validate(interface{}) error { return nil }
