import java.util.List;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.HistoryApi;
import org.openapitools.client.api.LobbyApi;
import org.openapitools.client.api.PlayApi;
import org.openapitools.client.model.*;

/** Plays a whole game with the Java client of openapi-generator. */
public class Play {
  /** Sends one action by the operation of its type; returns whether it is one to send. */
  static boolean act(PlayApi play, String game, Object action) throws ApiException {
    if (action instanceof OfferAction offer) {
      play.setOffer(game, 0, offer.getBody(), null, null, null);
    } else if (action instanceof PurchaseAction buy) {
      play.purchase(game, 0, buy.getBody(), null, null, null);
    } else if (action instanceof PassAction pass) {
      play.purchase(game, 0, pass.getBody(), null, null, null);
    } else if (action instanceof PlacementAction place) {
      play.placeTile(game, 0, place.getBody(), null, null, null);
    } else if (action instanceof FinishAction) {
      play.finishBuilding(game, 0, null, null, null);
    } else {
      return false;
    }
    return true;
  }

  public static void main(String[] words) throws ApiException {
    ApiClient client = new ApiClient();
    client.updateBaseUri(words[0]);
    FirstPlayer person = new FirstPlayer(new PersonToSeat().name("Ann"));
    FirstPlayer bot = new FirstPlayer(new BotToSeat().bot(SeatableBot.RANDOM));
    FreshGame fresh = new FreshGame().players(List.of(person, bot)).autoStart(true);
    CreatedGame created = new LobbyApi(client).createGame(null, new GameToCreate(fresh));
    String game = created.getGame().getId();
    String token = created.getPlayers().get(0).getToken();
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + token));
    LobbyApi lobby = new LobbyApi(client);
    PlayApi play = new PlayApi(client);
    while (!lobby.getGame(game, null, null, null).getStatus().equals("finished")) {
      for (Action action : play.listActions(game, 0, null).getActions()) {
        if (act(play, game, action.getActualInstance())) {
          break;
        }
      }
    }
    List<Event> events = new HistoryApi(client).listEvents(game, null, null, null).getEvents();
    System.out.println("finished " + (events.size() > 50));
  }
}
