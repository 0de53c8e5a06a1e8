package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"assay/warehouse"
)

// Query answers a statement that only reads: the server refuses everything else for the
// length of the request, and changes of settings too.
func (c *clickHouse) Query(ctx context.Context, statement string, limit warehouse.Limit) (warehouse.Answer, error) {
	ctx, limit, stop, err := warehouse.Ask(ctx, statement, limit)
	if err != nil {
		return warehouse.Answer{}, err
	}
	defer stop()
	settings := url.Values{
		"database": {c.database}, "readonly": {"1"},
		"max_execution_time": {strconv.Itoa(1 + int(limit.Time.Seconds()))},
		"max_result_rows":    {strconv.Itoa(limit.Rows + 1)}, "result_overflow_mode": {"break"},
	}
	c.settle(settings, sameAnswers)
	a, err := c.ask(ctx, statement, settings)
	if errors.Is(err, errRefused) {
		return a, fmt.Errorf("%w: %w", warehouse.ErrQuery, err)
	}
	if len(a.Rows) > limit.Rows {
		a.Rows, a.More = a.Rows[:limit.Rows], true
	}
	return a, err
}

// qualifier is what the server leaves before the name of a column that two tables have.
var qualifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*\.`)

// ask reads an answer with the types of its columns.
func (c *clickHouse) ask(ctx context.Context, statement string, settings url.Values) (a warehouse.Answer, err error) {
	if settings == nil {
		settings = url.Values{}
	}
	settings.Set("default_format", "JSONCompact")
	settings.Set("output_format_json_quote_64bit_integers", "1")
	settings.Set("wait_end_of_query", "1") // so that what goes wrong late is no half answer
	data, err := c.post(ctx, statement, nil, settings)
	if err != nil {
		return a, err
	}
	var answer struct {
		Meta []struct{ Name, Type string }
		Data [][]any
	}
	if err := json.Unmarshal(data, &answer); err != nil {
		return a, fmt.Errorf("the answer of ClickHouse is no JSON (a FORMAT in the statement?): %w", err)
	}
	for _, column := range answer.Meta {
		a.Columns = append(a.Columns, qualifier.ReplaceAllString(column.Name, ""))
	}
	a.Rows = [][]any{}
	for _, row := range answer.Data {
		if len(row) != len(answer.Meta) {
			return a, errors.New("the answer of ClickHouse has rows of different lengths")
		}
		for i, cell := range row {
			if row[i], err = clickHouseCell(cell, answer.Meta[i].Type); err != nil {
				return a, err
			}
		}
		a.Rows = append(a.Rows, row)
	}
	return a, nil
}

// clickHouseCell is a value as a whole number, a number or a text.
func clickHouseCell(cell any, kind string) (any, error) {
	for _, wrap := range []string{"LowCardinality(", "Nullable("} {
		if inner, wrapped := strings.CutPrefix(kind, wrap); wrapped {
			kind = strings.TrimSuffix(inner, ")")
		}
	}
	text, isText := cell.(string)
	switch {
	case cell == nil:
		return nil, nil
	case strings.HasPrefix(kind, "Int"), strings.HasPrefix(kind, "UInt"):
		if number, is := cell.(float64); is { // of fewer than 64 bits
			return int64(number), nil
		}
		whole, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s of ClickHouse has no place in 64 bits: %q", kind, text)
		}
		return whole, nil
	case strings.HasPrefix(kind, "Float"), strings.HasPrefix(kind, "Decimal"):
		if number, is := cell.(float64); is {
			return finite(number), nil
		}
		number, err := strconv.ParseFloat(text, 64)
		return finite(number), err
	case kind == "Bool":
		return map[bool]int64{true: 1}[cell == true], nil
	case isText:
		return text, nil
	}
	written, err := json.Marshal(cell)
	return string(written), err
}

// finite is null for a number that there is not.
func finite(v float64) any {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return v
}
