// Play a whole game with the Go client of openapi-generator.
package main

import (
	"context"
	"fmt"
	"os"

	skye "github.com/GIT_USER_ID/GIT_REPO_ID"
)

// act sends one action by the operation of its type.
func act(play *skye.PlayAPIService, as context.Context, game string, action skye.Action) error {
	var err error
	if offer := action.OfferAction; offer != nil {
		_, _, err = play.SetOffer(as, game, 0).Offer(offer.Body).Execute()
	} else if buy := action.PurchaseAction; buy != nil {
		_, _, err = play.Purchase(as, game, 0).Purchase(buy.Body).Execute()
	} else if pass := action.PassAction; pass != nil {
		_, _, err = play.Purchase(as, game, 0).Purchase(pass.Body).Execute()
	} else if place := action.PlacementAction; place != nil {
		_, _, err = play.PlaceTile(as, game, 0).Placement(place.Body).Execute()
	} else {
		_, _, err = play.FinishBuilding(as, game, 0).Execute()
	}
	return err
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	configuration := skye.NewConfiguration()
	configuration.Servers = skye.ServerConfigurations{{URL: os.Args[1]}}
	client := skye.NewAPIClient(configuration)
	person, bot := skye.NewPersonToSeat("Ann"), skye.NewBotToSeat(skye.SEATABLEBOT_RANDOM)
	players := []skye.FirstPlayer{skye.PersonToSeatAsFirstPlayer(person), skye.BotToSeatAsFirstPlayer(bot)}
	fresh := skye.NewFreshGame()
	fresh.SetPlayers(players)
	fresh.SetAutoStart(true)
	body := skye.FreshGameAsGameToCreate(fresh)
	created, _, err := client.LobbyAPI.CreateGame(context.Background()).GameToCreate(body).Execute()
	check(err)
	game := created.Game.Id
	as := context.WithValue(context.Background(), skye.ContextAccessToken, created.Players[0].GetToken())
	for {
		view, _, err := client.LobbyAPI.GetGame(as, game).Execute()
		check(err)
		if view.Status == "finished" {
			break
		}
		listed, _, err := client.PlayAPI.ListActions(as, game, 0).Execute()
		check(err)
		for _, action := range listed.Actions {
			if action.TakeBackAction == nil && action.UnknownAction == nil {
				check(act(client.PlayAPI, as, game, action))
				break
			}
		}
	}
	events, _, err := client.HistoryAPI.ListEvents(as, game).Execute()
	check(err)
	fmt.Println("finished", len(events.Events) > 50)
}
